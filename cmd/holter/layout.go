package main

import (
	"strings"
	"unicode/utf8"
)

// pageWidth is how wide what is printed for people may be.
const pageWidth = 110

// table lays rows out in columns that line up, two spaces apart. A column that is empty in all rows is left out.
type table struct{ rows [][]string }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the rows behind an indentation. What does not fit the last column goes on below it.
func (t *table) print(p *printer, indent string) {
	widths := t.widths()
	for _, row := range t.rows {
		var b strings.Builder
		b.WriteString(indent)
		last := len(row) - 1
		for i := range last {
			if widths[i] > 0 {
				b.WriteString(pad(row[i], widths[i]) + "  ")
			}
		}
		p.hanging(b.String(), row[last])
	}
}

func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// hanging writes text behind a lead, and goes on below itself where the page ends.
func (p *printer) hanging(lead, text string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(lead))
	room := max(pageWidth-len(indent), pageWidth/3)
	for i, line := range wrap(text, room) {
		if i > 0 {
			lead = indent
		}
		p.line("%s", p.paint(strings.TrimRight(lead+line, " ")))
	}
}

// wrap breaks text between words into lines of at most width, where its words let it; one line at least.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// plural counts things: "1 node", "3 nodes".
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"), strings.HasSuffix(one, "x"):
		return number(n) + " " + one + "es"
	case strings.HasSuffix(one, "ty"):
		return number(n) + " " + strings.TrimSuffix(one, "y") + "ies"
	}
	return number(n) + " " + one + "s"
}
