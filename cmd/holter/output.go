package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// format is the value of --output. It implements the interface of a flag's value.
type format string

const (
	asText format = "text"
	asJSON format = "json"
	asYAML format = "yaml"
)

// String is the value as it is written.
func (f *format) String() string { return string(*f) }

// Type is what --help calls it.
func (f *format) Type() string { return "FORMAT" }

// Set takes one of the three.
func (f *format) Set(text string) error {
	switch format(text) {
	case asText, asJSON, asYAML:
		*f = format(text)
		return nil
	}
	return errors.New("accepted: text, json, yaml")
}

// formatFlag gives a verb its -o.
func formatFlag(cmd *cobra.Command) *format {
	f := asText
	cmd.Flags().VarP(&f, "output", "o", "text, json (one object a line) or yaml")
	completions := cobra.FixedCompletions([]string{string(asText), string(asJSON), string(asYAML)}, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("output", completions); err != nil {
		panic(err) // only if the flag were not there
	}
	return &f
}

// printer is standard output: it remembers the first error, and knows whether colours are wanted.
type printer struct {
	out     io.Writer
	err     error
	colours bool
	objects int
}

func newPrinter(out io.Writer, getenv func(string) string) printer {
	return printer{out: out, colours: isTerminal(out) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

// isTerminal tells whether somebody may be looking.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0 && file.Name() != os.DevNull
}

// Write implements io.Writer. After an error nothing more is written.
func (p *printer) Write(data []byte) (int, error) {
	if p.err == nil {
		_, p.err = p.out.Write(data)
	}
	return len(data), nil
}

// line prints a line.
func (p *printer) line(text string, args ...any) {
	fmt.Fprintf(p, text+"\n", args...)
}

// paragraph separates what is printed next from what was printed before, if anything was.
func (p *printer) paragraph() {
	if p.objects++; p.objects > 1 {
		p.line("")
	}
}

// object prints a value as JSON on a line of its own, or as a YAML document.
func (p *printer) object(f format, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	data := text.Bytes()
	if f == asYAML {
		var err error
		if data, err = yaml.JSONToYAML(data); err != nil {
			return fmt.Errorf("printing the result: %w", err)
		}
		if p.objects++; p.objects > 1 {
			p.line("---")
		}
	}
	_, _ = p.Write(data)
	return nil
}

// paint colours the words that matter most, and nothing else.
func (p *printer) paint(text string) string {
	if !p.colours {
		return text
	}
	const green, red, yellow, plain = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
	return strings.NewReplacer(
		"FAILED", red+"FAILED"+plain,
		"Unknown", yellow+"Unknown"+plain,
		"  ok  ", "  "+green+"ok"+plain+"  ",
	).Replace(text)
}
