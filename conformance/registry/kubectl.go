package registry

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Kubectl runs kubectl commands against the cluster of a kubeconfig.
type Kubectl struct {
	Program    string // the path of kubectl
	Kubeconfig string
	Files      string // the folder that commands are run in, for -f
	Home       string // where it may keep its cache
}

// Command is one line of a script.
type Command struct {
	Line string
	Ends time.Duration // after which it is ended; 0 is when it likes, within a minute
}

// ReadCommands reads a script: a command a line, without the word kubectl;
// lines that begin with # say something to the reader, and [2s] before a
// command ends it after that time.
func ReadCommands(path string) ([]Command, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Command
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		c := Command{Line: line}
		if limit, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] "); ok && line[0] == '[' {
			if c.Ends, err = time.ParseDuration(limit); err != nil {
				return nil, fmt.Errorf("%s:%d: %q is no duration, such as 2s", path, i+1, limit)
			}
			c.Line = rest
		}
		out = append(out, c)
	}
	return out, nil
}

// Run runs a command and returns what it printed and how it ended, without what
// differs between any two runs.
func (k *Kubectl) Run(c Command) string {
	limit := c.Ends
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.Program, strings.Fields(c.Line)...)
	cmd.Dir = k.Files
	cmd.Env = []string{"HOME=" + k.Home, "KUBECONFIG=" + k.Kubeconfig, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + k.Home}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	out := fmt.Sprintf("$ kubectl %s\n%s", c.Line, k.plain(stdout.String()))
	for line := range strings.Lines(k.plain(stderr.String())) {
		out += "! " + line
	}
	switch {
	case ctx.Err() != nil && c.Ends > 0:
		out += "(ended)\n"
	case err != nil:
		out += fmt.Sprintf("(%v)\n", err)
	}
	return out
}

// replacements take out what differs between any two runs.
var replacements = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\b20(0[02-9]|[1-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20(0[02-9]|[1-9]\d) \d\d:\d\d:\d\d [+-]\d{4}`), "TIME"},
	{regexp.MustCompile(`((?i)resource ?version"?: *"?)\d+`), "${1}VERSION"},
	{regexp.MustCompile(`"continue":"[^"]*"`), `"continue":"TOKEN"`},
	{regexp.MustCompile(`https?://[\w.-]+:\d+`), "SERVER"},
	{regexp.MustCompile(`(^|\s)(\d+[ydhms])+($|\s|\))`), "${1}AGE${3}"},
	{regexp.MustCompile(`[A-Z]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ `), "LOG "},
	{regexp.MustCompile(`(LIVE|MERGED)-\d+`), "${1}"},
	{regexp.MustCompile(`\t`), "  "},
	{regexp.MustCompile(`(\S) {2,}`), "$1  "},
	{regexp.MustCompile(` +$`), ""},
}

// plain is what kubectl printed, in columns of any width.
func (k *Kubectl) plain(s string) string {
	s = strings.ReplaceAll(s, k.Home, "HOME")
	var out strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		for _, r := range replacements {
			line = r.what.ReplaceAllString(line, r.with)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// RunScript runs the script in a folder, commands.txt, and returns all of it.
func (k *Kubectl) RunScript() (string, error) {
	commands, err := ReadCommands(filepath.Join(k.Files, "commands.txt"))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range commands {
		out.WriteString(k.Run(c) + "\n")
	}
	return out.String(), nil
}
