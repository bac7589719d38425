package scenario

import (
	"fmt"
	"strings"
)

// NearestNames gives all candidates that are as near to a wrong name as the nearest one, in their order.
func NearestNames(name string, candidates []string) []string {
	best, folded := nearestName(name, candidates), foldName(name)
	if best == "" {
		return nil
	}
	if onlyBeginning(folded, candidates) != "" {
		return []string{best}
	}
	var names []string
	for _, c := range candidates {
		if editDistance(folded, foldName(c)) == editDistance(folded, foldName(best)) {
			names = append(names, c)
		}
	}
	return names
}

// nearestName gives the candidate that a wrong name was most likely meant to be, or "" if none is near. Names that
// differ in case only, or are written with other separators, are nearest of all, and the only one that begins with the
// name comes next; otherwise the edit distance, with a swap of neighbours as one edit, must be at most a third of the
// name, or 1. Of equally near ones that of the same length wins, then the first.
func nearestName(name string, candidates []string) string {
	if len(name) > 100 {
		return ""
	}
	best, bestDistance, folded := "", max(1, len(name)/3)+1, foldName(name)
	if only := onlyBeginning(folded, candidates); only != "" {
		return only
	}
	for _, c := range candidates {
		d := editDistance(folded, foldName(c))
		better := d < bestDistance || best != "" && d == bestDistance && len(c) == len(name) && len(best) != len(name)
		if better && d < len(c) {
			best, bestDistance = c, d
		}
	}
	return best
}

// onlyBeginning gives the one candidate that begins with a name of some length, "" if none does or several do.
func onlyBeginning(folded string, candidates []string) string {
	only := ""
	for _, c := range candidates {
		if len(folded) < 5 || !strings.HasPrefix(foldName(c), folded) {
			continue
		}
		if only != "" {
			return ""
		}
		only = c
	}
	return only
}

// foldName takes out what people get wrong without a thought.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// editDistance is the optimal string alignment distance: insert, delete, replace, or swap two neighbours.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			replace := 1
			if x[i-1] == y[j-1] {
				replace = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+replace)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// didYouMean gives ", did you mean X?" or "".
func didYouMean(name string, candidates []string) string {
	if near := nearestName(name, candidates); near != "" {
		return fmt.Sprintf(", did you mean %s?", near)
	}
	return ""
}

// unknownName is the complaint about a name that is none of the candidates, which are what is accepted.
func unknownName(field, name, problem string, candidates []string) *InputError {
	return badValue(field, name, problem+didYouMean(name, candidates), listNames(candidates))
}

// listNames lists names for a message, and cuts a list that would drown it.
func listNames(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s, ... (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return strings.Join(names, ", ")
}
