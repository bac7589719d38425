package scenario

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/sim"
)

// episode is a stretch in which a node is not ready, with what the controller
// did about it. One that turned Unknown begins when its kubelet was last heard.
type episode struct {
	node       string
	begin, end sim.Time // end is Never as long as it lasts
	silent     bool     // nothing was heard of the kubelet since it turned Unknown
	changes    []Change
}

// compareRuns says what a run under other settings has that the one before it
// has not, and the other way round. A setting moves a change in time, and may
// take one away here and bring one there, so counting does not do: the n-th
// Unknown of one run need not be the n-th of the other. What is compared is
// episode by episode. The kubelets do the same in both runs, so that two
// episodes of a node are about the same silence if they overlap. phantoms are
// those changes of the run before that were not recorded.
func compareRuns(before, after *simulated, phantoms map[Change]bool) *Alternative {
	a := &Alternative{
		phantoms:    map[Change]bool{},
		Transitions: append([]Transition{}, after.transitions...),
		Avoided:     []Change{}, Added: []Change{}, Moved: []Move{}, Undecided: []Change{},
	}
	maps.Copy(a.phantoms, phantoms)
	for _, s := range groupEpisodes(before.episodes, after.episodes) {
		a.compare(s.before, s.after, s.open)
	}
	a.compare(otherChanges(before.changes), otherChanges(after.changes), false)

	byTime := func(x, y Change) int { return int(x.At - y.At) }
	slices.SortStableFunc(a.Avoided, byTime)
	slices.SortStableFunc(a.Added, byTime)
	slices.SortStableFunc(a.Undecided, byTime)
	slices.SortStableFunc(a.Moved, func(x, y Move) int { return int(x.From - y.From) })
	return a
}

// compare pairs the n-th change of a kind to a node with the n-th of the other
// side.
func (a *Alternative) compare(before, after []Change, open bool) {
	type kind struct{ node, what string }
	left := map[kind][]Change{}
	for _, c := range after {
		k := kind{c.Node, c.What}
		left[k] = append(left[k], c)
	}
	for _, c := range before {
		k := kind{c.Node, c.What}
		switch {
		case len(left[k]) > 0:
			if to := left[k][0].At; to != c.At {
				a.Moved = append(a.Moved, Move{Node: c.Node, What: c.What, From: c.At, To: to})
			}
			left[k] = left[k][1:]
		case open:
			a.Undecided = append(a.Undecided, c)
		default:
			a.Avoided = append(a.Avoided, c)
		}
	}
	doubtful := map[string]bool{} // nodes
	for _, c := range before {
		doubtful[c.Node] = doubtful[c.Node] || a.phantoms[c]
	}
	for _, c := range after {
		if k := (kind{c.Node, c.What}); len(left[k]) > 0 && left[k][0] == c {
			a.Added = append(a.Added, c)
			if doubtful[c.Node] {
				a.phantoms[c] = true
			}
			left[k] = left[k][1:]
		}
	}
}

// silenceOf is what both runs did about one silence of a node.
type silenceOf struct {
	before, after []Change
	open          bool // the node was not heard of again
}

// groupEpisodes brings together the episodes of both runs that overlap, by way
// of others too.
func groupEpisodes(before, after []*episode) []silenceOf {
	type sided struct {
		*episode
		after bool
	}
	var all []sided
	for _, e := range before {
		all = append(all, sided{e, false})
	}
	for _, e := range after {
		all = append(all, sided{e, true})
	}
	slices.SortStableFunc(all, func(x, y sided) int {
		if x.node != y.node {
			return strings.Compare(x.node, y.node)
		}
		return int(x.begin - y.begin)
	})
	var groups []silenceOf
	var node string
	var end sim.Time
	for i, e := range all {
		if i == 0 || e.node != node || e.begin >= end {
			groups = append(groups, silenceOf{})
			node, end = e.node, e.end
		}
		g := &groups[len(groups)-1]
		end = max(end, e.end)
		g.open = g.open || e.silent && e.end == sim.Never
		if e.after {
			g.after = append(g.after, e.changes...)
		} else {
			g.before = append(g.before, e.changes...)
		}
	}
	return groups
}

// tellsOfReady tells the changes that follow from the Ready condition from
// those that follow from others.
func tellsOfReady(what string) bool {
	return strings.HasPrefix(what, "Ready=") ||
		strings.Contains(what, corev1.TaintNodeNotReady+":") || strings.Contains(what, corev1.TaintNodeUnreachable+":")
}

func otherChanges(all []Change) []Change {
	var others []Change
	for _, c := range all {
		if !tellsOfReady(c.What) {
			others = append(others, c)
		}
	}
	return others
}
