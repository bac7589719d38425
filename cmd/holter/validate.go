package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/scenario"
)

// validation is what validate says of one file.
type validation struct {
	File     string   `json:"file"`
	OK       bool     `json:"ok"`
	Holds    string   `json:"holds,omitempty"`
	Problems []string `json:"problems"`
	Warnings []string `json:"warnings"`
}

func (c *cli) validateCommand() *cobra.Command {
	var f *format
	cmd := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Check scenarios without running them",
		Long: `Validate reads each scenario (a file, or - for standard input) and the KubeletConfiguration that it names,
and says what it holds, what is allowed and probably not meant, and everything that is wrong with it, a line
each.`,
		Example: `  holter validate testdata/scenarios/node-death.yaml`,
		Args:    atLeastOne("the path of a scenario, or - for standard input,"),
		RunE: func(_ *cobra.Command, paths []string) error {
			code := exitFine
			for _, path := range paths {
				v, err := c.validate(path)
				if err != nil {
					return err
				}
				if !v.OK {
					code = exitRefused
				}
				if err := c.reportValidation(v, *f); err != nil {
					return err
				}
			}
			if code != exitFine {
				return failure{code}
			}
			return nil
		},
	}
	f = formatFlag(cmd)
	return cmd
}

// validate finds everything about a file; the error is that of a file that cannot even be looked for.
func (c *cli) validate(path string) (*validation, error) {
	v := &validation{File: path, Problems: []string{}, Warnings: []string{}}
	stdin, err := c.stdin(path)
	if err != nil {
		return nil, err
	}
	s, warnings, err := scenario.Load(path, stdin)
	if err != nil {
		var refused *scenario.InputError
		if !errors.As(err, &refused) {
			return nil, err
		}
		for _, problem := range refused.All() {
			v.Problems = append(v.Problems, problem.Error())
		}
		return v, nil
	}
	for _, problem := range s.Problems() {
		v.Problems = append(v.Problems, problem.Error())
	}
	for _, w := range warnings {
		v.Warnings = append(v.Warnings, w.String())
	}
	if v.OK = len(v.Problems) == 0; v.OK {
		v.Holds = holds(s)
	}
	return v, nil
}

func (c *cli) reportValidation(v *validation, f format) error {
	switch {
	case f != asText:
		if err := c.printer.object(f, v); err != nil {
			return err
		}
	case v.OK:
		c.printer.line("ok  %s: %s", scenario.DisplayName(v.File), v.Holds)
	}
	for _, w := range v.Warnings {
		c.warn(w)
	}
	for _, problem := range v.Problems {
		c.complain(errors.New(problem))
	}
	return nil
}

// holds says what a scenario holds, in a line.
func holds(s *scenario.Scenario) string {
	parts := []string{
		s.Metadata.Name,
		"Kubernetes " + s.Spec.KubernetesVersion,
		plural(countNodes(s), "node"),
		s.Spec.Duration.String(),
		plural(len(s.Spec.Faults), "fault"),
		plural(len(s.Spec.Expect), "expectation"),
	}
	if len(s.Spec.Pods) > 0 {
		parts = append(parts, plural(len(s.Spec.Pods), "group")+" of pods")
	}
	if len(s.Spec.Workloads) > 0 {
		parts = append(parts, plural(len(s.Spec.Workloads), "workload"))
	}
	return fmt.Sprintf("%s (seed %d)", strings.Join(parts, ", "), s.Spec.Seed)
}
