package version

import (
	"fmt"
	"strings"
)

// Markdown gives the table as docs/versions.md has it: first by version, each row as Rows has it, then by flag.
func Markdown() string {
	var out strings.Builder
	out.WriteString("## By version\n\n")
	for _, row := range Rows() {
		fmt.Fprintf(&out, "### %s\n\n", row.From)
		out.WriteString("| flag | before | since | read in |\n|---|---|---|---|\n")
		for _, c := range row.Changes {
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", c.Flag, cell(c.Before), cell(c.After), cell(c.Evidence.String()))
		}
		out.WriteString("\n")
	}
	out.WriteString("## By flag\n\n| flag | in 1.13.0 | after |\n|---|---|---|\n")
	for _, h := range histories() {
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", h.flag, cell(h.first), cell(strings.Join(h.after, "; ")))
	}
	return out.String()
}

// cell keeps a text from ending its cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// history is what becomes of one flag.
type history struct {
	flag, first string
	after       []string // "yes from 1.32.0"
}

// histories lists every flag in the order of its declaration.
func histories() []history {
	rows := Rows()
	var out []history
	for _, f := range flatten(Lookup(rows[0].From)) {
		h := history{flag: f.path, first: f.value}
		for _, row := range rows[1:] {
			for _, c := range row.Changes {
				if c.Flag == f.path {
					h.after = append(h.after, fmt.Sprintf("%s from %s%s", c.After, row.From, mark(c.Evidence)))
				}
			}
		}
		out = append(out, h)
	}
	return out
}

func mark(e Evidence) string {
	if e.Proof == Unverified {
		return " " + string(Unverified)
	}
	return ""
}
