package scenario

import (
	"slices"
	"strings"
)

// match pairs recorded changes with the model's: the same to the same node, in
// that node's order, within the tolerance, and as many as that allows. The
// order between nodes is free, as upstream leaves it.
func match(recorded, model []Change) *Baseline {
	b := &Baseline{Recorded: len(recorded), Missed: []Change{}, Phantom: []Change{}}
	want, have := splitByNode(recorded), splitByNode(model)
	partner := make([]int, len(recorded)) // of a recorded change, -1 for none
	paired := make([]bool, len(model))
	for i := range partner {
		partner[i] = -1
	}
	for node, places := range want { // order: nodes do not touch each other's
		for _, p := range pairUp(recorded, model, places, have[node]) {
			partner[p.recorded], paired[p.model] = p.model, true
		}
	}
	for i, change := range recorded {
		if partner[i] < 0 {
			b.Missed = append(b.Missed, change)
			continue
		}
		pair := Pair{Recorded: change, Model: model[partner[i]]}
		b.Pairs = append(b.Pairs, pair)
		b.MaxErrorSeconds = max(b.MaxErrorSeconds, pair.Model.At.Sub(change.At).Abs().Seconds())
	}
	b.Reproduced, b.Predicted = len(b.Pairs), len(b.Pairs)
	for i, change := range model {
		if !paired[i] {
			b.Phantom = append(b.Phantom, change)
		}
	}
	return b
}

// markFitted tells the change that the model was fitted on from what it predicts.
func (b *Baseline) markFitted(on *Change) {
	for i := range b.Pairs {
		if on != nil && b.Pairs[i].Recorded == *on {
			b.Pairs[i].Fitted = true
			b.Fitted, b.Predicted = 1, len(b.Pairs)-1
			return
		}
	}
}

// splitByNode gives the places of each node's changes, in their order.
func splitByNode(changes []Change) map[string][]int {
	places := map[string][]int{}
	for i, c := range changes {
		places[c.Node] = append(places[c.Node], i)
	}
	return places
}

// candidate is a pair that may be made, by its places in the two lists.
type candidate struct{ recorded, model int }

// pairUp finds the longest sequence of pairs that keeps the order of both
// sides: of all candidates, ordered by the one side, the longest that grows on
// the other.
func pairUp(recorded, model []Change, want, have []int) []candidate {
	var candidates []candidate
	from := 0
	for _, i := range want {
		for from < len(have) && recorded[i].At.Sub(model[have[from]].At) > Tolerance {
			from++
		}
		first := len(candidates)
		for j := from; j < len(have) && model[have[j]].At.Sub(recorded[i].At) <= Tolerance; j++ {
			if sameChange(recorded[i].What, model[have[j]].What) {
				candidates = append(candidates, candidate{i, have[j]})
			}
		}
		slices.Reverse(candidates[first:]) // so that none follows another of the same recorded change
	}
	return longestGrowing(candidates)
}

// sameChange tells whether the model's change may be the recorded one.
func sameChange(recorded, model string) bool {
	return recorded == model || recorded == someTaint && !strings.HasPrefix(model, "Ready=")
}

// longestGrowing is a longest subsequence in which the model's places grow.
func longestGrowing(all []candidate) []candidate {
	var ends []int // of the best sequence of each length, where it ends
	before := make([]int, len(all))
	for i, c := range all {
		at, _ := slices.BinarySearchFunc(ends, c.model, func(end, model int) int { return all[end].model - model })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	var longest []candidate
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			longest = append(longest, all[i])
		}
	}
	slices.Reverse(longest)
	return longest
}
