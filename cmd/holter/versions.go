package main

import (
	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/heartbeat/version"
)

// versionRow is one row of the table of versions.
type versionRow struct {
	From    string          `json:"from"`
	Changes []versionChange `json:"changes"`
}

// versionChange is one behaviour that a row changes.
type versionChange struct {
	Flag     string `json:"flag"`
	Before   string `json:"before"`
	After    string `json:"after"`
	Evidence string `json:"evidence"`
	Proof    string `json:"proof"` // read, changelog, or [U] for unverified
}

func (c *cli) versionsCommand() *cobra.Command {
	var f *format
	var evidence bool
	cmd := &cobra.Command{
		Use:   "versions [VERSION]",
		Short: "What differs between versions of Kubernetes, as it is modelled",
		Long: `Versions prints the table of behaviours, from Kubernetes 1.13 to 1.37: what each release changes from the one
before it. With a version it prints how that one behaves. What could not be verified in the sources is marked [U].`,
		Example: "  holter versions\n  holter versions 1.32.0\n  holter versions --evidence -o json",
		Args:    atMostOne("version"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return c.oneVersion(*f, args[0])
			}
			return c.allVersions(*f, evidence)
		},
	}
	f = formatFlag(cmd)
	cmd.Flags().BoolVar(&evidence, "evidence", false, "also print where upstream makes each change, and how that is known")
	return cmd
}

func (c *cli) allVersions(f format, evidence bool) error {
	var rows []versionRow
	for _, r := range version.Rows() {
		row := versionRow{From: r.From.String()}
		for _, ch := range r.Changes {
			row.Changes = append(row.Changes, versionChange{ch.Flag, ch.Before, ch.After, ch.Evidence.String(), string(ch.Evidence.Proof)})
		}
		rows = append(rows, row)
	}
	if f != asText {
		return c.printer.object(f, rows)
	}
	for i, row := range rows {
		if i > 0 {
			c.printer.line("")
		}
		c.printer.line("from %s", row.From)
		for _, ch := range row.Changes {
			mark := ""
			if ch.Proof == string(version.Unverified) {
				mark = "  [U]"
			}
			if i == 0 {
				c.printer.line("%s", "  "+ch.Flag+"  "+ch.After+mark)
			} else {
				c.printer.line("%s", "  "+ch.Flag+"  "+ch.Before+" -> "+ch.After+mark)
			}
			if evidence {
				c.printer.hanging("    ", ch.Evidence)
			}
		}
	}
	return nil
}

// oneVersion prints all that the rows up to a version come to.
func (c *cli) oneVersion(f format, text string) error {
	v, err := version.Parse(text)
	if err != nil {
		return &usageError{err.Error()}
	}
	if f != asText {
		return c.printer.object(f, version.Lookup(v))
	}
	t := &table{}
	for _, flag := range version.Flags(version.Lookup(v)) {
		t.add(flag.Path, flag.Value)
	}
	t.print(&c.printer, "")
	return nil
}
