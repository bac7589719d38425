package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/holter-sim/holter/scenario"
)

// stdinName is the argument that stands for standard input.
const stdinName = "-"

// input is one scenario of the command line, ready to run.
type input struct {
	path     string
	scenario *scenario.Scenario
	sets     []assignment
	// reproduce says how to see the run again where its command line does not; "" where it does.
	reproduce string
}

// name is what messages call it.
func (i *input) name() string { return scenario.DisplayName(i.path) }

// label is what progress calls it.
func (i *input) label() string {
	return i.scenario.Metadata.Name + ", " + plural(countNodes(i.scenario), "node")
}

func countNodes(s *scenario.Scenario) int {
	nodes := 0
	for _, group := range s.Spec.Nodes {
		nodes += group.Count
	}
	return nodes
}

// assignment is one path=value of a flag, --set or --baseline.
type assignment struct{ flag, path, value string }

// text is the assignment without its flag.
func (a assignment) text() string { return a.path + "=" + a.value }

// String is the assignment as it is written.
func (a assignment) String() string { return a.flag + " " + a.text() }

// parseAssignment reads path=value.
func parseAssignment(flag, text string) (assignment, error) {
	path, value, ok := strings.Cut(text, "=")
	if !ok || strings.TrimSpace(path) == "" {
		return assignment{}, &scenario.InputError{Field: flag, Value: text, Message: quoted(text) + " sets nothing",
			Accepted: "path=value, as in controllerManager.node-monitor-grace-period=40s"}
	}
	return assignment{flag, strings.TrimSpace(path), value}, nil
}

func parseAssignments(flag string, texts []string) ([]assignment, error) {
	var list []assignment
	for _, text := range texts {
		a, err := parseAssignment(flag, text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// load reads a scenario and changes what is set on the command line. A seed that is nil is the scenario's own.
func (c *cli) load(path string, sets []assignment, seed *uint64) (*input, error) {
	stdin, err := c.stdin(path)
	if err != nil {
		return nil, err
	}
	s, _, err := scenario.Load(path, stdin)
	if err != nil {
		return nil, err
	}
	before := s.Problems()
	if err := setAll(s, sets); err != nil {
		return nil, err
	}
	if seed != nil {
		s.Spec.Seed = *seed
	}
	if problems := s.Problems(); len(problems) > 0 {
		return nil, allBlamed(problems, sets, before)
	}
	return &input{path: path, scenario: s, sets: sets}, nil
}

// warnOf prints what is allowed of an input, and probably not meant.
func (c *cli) warnOf(in *input) {
	for _, w := range in.scenario.Warnings() {
		for _, set := range in.sets {
			if isUnder(w.Field, "spec."+strings.TrimPrefix(set.path, "spec.")) {
				w.File, w.Line = set.String(), 0
			}
		}
		if w.File == "" {
			w.File = in.name()
		}
		c.warn(w.String())
	}
}

// stdin is standard input if the path says so, nil if not. It can be read once.
func (c *cli) stdin(path string) (io.Reader, error) {
	if path != stdinName {
		return nil, nil
	}
	if c.stdinTaken {
		return nil, &scenario.InputError{File: scenario.DisplayName(path), Message: "standard input has been read already", Accepted: "one " + stdinName + " on a command line"}
	}
	c.stdinTaken = true
	return c.in, nil
}

// setAll makes the assignments, in their order.
func setAll(s *scenario.Scenario, sets []assignment) error {
	for _, set := range sets {
		if err := s.Set(set.path, set.value); err != nil {
			return set.blame(err)
		}
	}
	return nil
}

// allBlamed makes one error of everything that is wrong.
func allBlamed(problems []*scenario.InputError, sets []assignment, before []*scenario.InputError) error {
	list := each(problems, func(p *scenario.InputError) *scenario.InputError { return blamed(p, sets, before) })
	all := *list[0]
	all.Others = list[1:]
	return &all
}

// blamed names the assignment that brought in what is wrong, if one did: what was wrong before is none's fault.
func blamed(refused *scenario.InputError, sets []assignment, before []*scenario.InputError) *scenario.InputError {
	if len(sets) == 0 {
		return refused
	}
	for _, problem := range before {
		if problem.Field == refused.Field && problem.Message == refused.Message {
			return refused
		}
	}
	for i := len(sets) - 1; i >= 0; i-- {
		field := "spec." + strings.TrimPrefix(sets[i].path, "spec.")
		if isUnder(refused.Field, field) || isUnder(field, refused.Field) || sameParent(refused.Field, field) {
			return sets[i].inPlaceOf(refused)
		}
	}
	named := *refused
	texts := each(sets, assignment.String)
	named.Message += ", with " + strings.Join(texts, " and ")
	return &named
}

// isUnder tells whether a field is another, or within it.
func isUnder(field, other string) bool {
	rest, ok := strings.CutPrefix(field, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// sameParent tells two fields of one mapping, below the spec itself.
func sameParent(a, b string) bool {
	parent := a[:max(0, strings.LastIndexAny(a, ".["))]
	return parent != "" && parent != "spec" && parent == b[:max(0, strings.LastIndexAny(b, ".["))]
}

// blame puts the assignment in the place of a file's name, where there is none.
func (a assignment) blame(err error) error {
	var refused *scenario.InputError
	if !errors.As(err, &refused) || refused.File != "" {
		return err
	}
	return a.inPlaceOf(refused)
}

// inPlaceOf has an error name the assignment, and not a file.
func (a assignment) inPlaceOf(refused *scenario.InputError) *scenario.InputError {
	named := *refused
	named.File, named.Line = a.String(), 0
	return &named
}

// sameFile tells whether two paths are one file that is there.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
