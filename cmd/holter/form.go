package main

import (
	"strconv"
	"strings"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
)

// form is what a failure ends in: all that is needed to see it again.
type form struct {
	broke     []string
	seed      uint64
	reproduce string
}

// print writes a line for each of what broke, the seed, and the command.
func (f form) print(p *printer) {
	t := &table{}
	for i, what := range f.broke {
		label := ""
		if i == 0 {
			label = "What broke"
		}
		t.add(label, what)
	}
	t.add("Seed", strconv.FormatUint(f.seed, 10))
	t.print(p, "")
	p.line("%s  %s", pad("Reproduce", len("What broke")), f.reproduce) // never broken into lines: it is to be copied
}

// crashForm is about a panic in the model.
func crashForm(crash *sim.ProcessPanic, reproduce string) form {
	return form{[]string{"the model itself, which is a bug in Holter", crash.Error()}, crash.Seed, reproduce}
}

// runCommandLine is the command that runs an input with a seed again.
func (i *input) runCommandLine(seed uint64) string {
	if i.reproduce != "" {
		return i.reproduce
	}
	words := []string{"holter", "run", i.path, "--seed", strconv.FormatUint(seed, 10)}
	for _, set := range i.sets {
		words = append(words, "--set", set.text())
	}
	command := shellLine(words)
	if i.path == stdinName {
		command += " < SCENARIO"
	}
	return command
}

// mostBroken is how many lines a form has for what broke.
const mostBroken = 3

// whatBroke says in a line each what is wrong with a run, and how much more there is.
func whatBroke(verdicts []scenario.Verdict, violations []scenario.Violation) []string {
	var lines []string
	for _, v := range verdicts {
		if !v.OK {
			lines = append(lines, v.Name+": wanted "+v.Want+", got "+v.Got)
		}
	}
	for _, v := range violations {
		lines = append(lines, "invariant "+v.Invariant+" at "+v.At.String()+atNode(v.Node)+": "+v.Message)
	}
	if more := len(lines) - mostBroken; more > 0 {
		lines = append(lines[:mostBroken], "and "+number(more)+" more")
	}
	return lines
}

func atNode(node string) string {
	if node == "" {
		return ""
	}
	return ", " + node
}

// shellLine is the command line of words.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellQuote(word)
	}
	return strings.Join(quoted, " ")
}

// shellQuote quotes a word where a shell would take it apart.
func shellQuote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@+%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func quoted(text string) string { return strconv.Quote(text) }
