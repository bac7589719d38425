package version

import (
	"fmt"
	"slices"
)

// Row is one line of the table: what changes from the row before it.
type Row struct {
	// From is the first release with these changes. A row holds until the next one, so a change that was backported to a
	// series is taken back by the row of the next series, if that had it later only.
	From Version
	// Changes are never none.
	Changes []Change
}

// Change is one flag that changes in a row.
type Change struct {
	// Flag is the path of the field in Behaviors: "Kubelet.RuntimeUpFirst".
	Flag string
	// Before and After are the values, for people. Before is "" in the oldest row.
	Before, After string
	// Evidence is where upstream makes the change and how that is known.
	Evidence Evidence
}

// Evidence says how a change is known.
type Evidence struct {
	// Where is the file and the function upstream, or the spot in the specification.
	Where string
	// Without and With are releases whose source was read: the last before the change and the first with it. Without is ""
	// in the oldest row. A release of a staging module v0.36.3 is that of Kubernetes v1.36.3.
	Without, With string
	// Note is what else is to be known, "" mostly.
	Note string
	// Proof is how far the two pin the release down.
	Proof Proof
}

// Proof is how far a change is verified.
type Proof string

// How far a change is verified. What is Unverified is marked [U] wherever the table is printed.
const (
	Read       Proof = "read"      // in the sources of both neighbours, so the release is certain
	Changelog  Proof = "changelog" // in sources further apart; the release between them is the changelog's
	Unverified Proof = "[U]"       // the release between the sources that were read is inferred
)

// change is one entry of the table: it sets exactly one field.
type change struct {
	set      func(*Behaviors)
	evidence Evidence
}

type row struct {
	from    Version
	changes []change
}

// table is every row, the oldest first.
func table() []row {
	return slices.Concat(oldest(), from1_14(), from1_17(), from1_19(), from1_22(), from1_27(), from1_32())
}

// Lookup gives how a version behaves: all rows up to it, one after the other. Anything older than the table behaves like its
// oldest row; Parse lets none of these pass.
func Lookup(v Version) Behaviors {
	var b Behaviors
	for i, r := range table() {
		if i > 0 && v.Compare(r.from) < 0 {
			break
		}
		r.apply(&b)
	}
	return b
}

func (r row) apply(b *Behaviors) {
	for _, c := range r.changes {
		c.set(b)
	}
}

// Rows gives the table for printing, the oldest row first.
func Rows() []Row {
	var b Behaviors
	var rows []Row
	for i, r := range table() {
		printed := Row{From: r.from}
		for _, c := range r.changes {
			was := flatten(b)
			c.set(&b)
			for j, f := range flatten(b) {
				if f.value == was[j].value {
					continue
				}
				changed := Change{Flag: f.path, Before: was[j].value, After: f.value, Evidence: c.evidence}
				if i == 0 {
					changed.Before = "" // before the table there is nothing
				}
				printed.Changes = append(printed.Changes, changed)
			}
		}
		rows = append(rows, printed)
	}
	return rows
}

// since is a row from 1.minor.patch on.
func since(minor, patch int, changes ...change) row {
	return row{from: Version{Minor: minor, Patch: patch}, changes: changes}
}

// read is a change that was read in the source of the last release without it and of the first with it.
func read(where, without, with string, set func(*Behaviors)) change {
	return change{set: set, evidence: Evidence{Where: where, Without: without, With: with, Proof: Read}}
}

// logged is a change whose release, between two whose sources were read, is known from the changelog.
func logged(where, without, with, entry string, set func(*Behaviors)) change {
	return change{set: set, evidence: Evidence{Where: where, Without: without, With: with, Note: entry, Proof: Changelog}}
}

// inferred is a change whose release, between two whose sources were read, is not certain.
func inferred(where, without, with, why string, set func(*Behaviors)) change {
	return change{set: set, evidence: Evidence{Where: where, Without: without, With: with, Note: why, Proof: Unverified}}
}

// noted adds a remark to a change.
func noted(c change, remark string) change {
	c.evidence.Note = remark
	return c
}

// String gives one line: "kubelet.go Run, from v1.22.17 to v1.23.0".
func (e Evidence) String() string {
	s := fmt.Sprintf("%s, %s", e.Where, e.With)
	if e.Without != "" {
		s = fmt.Sprintf("%s, from %s to %s", e.Where, e.Without, e.With)
	}
	if e.Note != "" {
		s += "; " + e.Note
	}
	if e.Proof == Unverified {
		s += " " + string(Unverified)
	}
	return s
}
