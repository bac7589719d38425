package registry

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
)

// Case is a claim about the API, and the requests that show it, sent one after
// another to a server that holds nothing but its namespaces. Every answer
// counts.
//
// A path or body may refer to earlier answers, counted from 1: {rv 2} is the
// resourceVersion in the second, {uid 2} its uid, {continue 2} its token and
// {name 2} its name. {rv 2 item 0} is that of the first item of a list.
type Case struct {
	name  string
	steps []*Request
}

// Server is what a case is run against.
type Server interface {
	Do(*Request) *Response
	// Reset leaves nothing but the namespaces of every cluster.
	Reset() error
	// Settle waits until reads from caches are current.
	Settle() error
	// Restart ends the server's process and starts it again over what is stored.
	Restart() error
}

// run sends the requests of a case, and returns the answers.
func (c *Case) run(s Server) ([]*Answer, error) {
	x, err := begin(s)
	if err != nil {
		return nil, err
	}
	for i, step := range c.steps {
		if _, err := x.send(step); err != nil {
			return x.answers, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return x.answers, nil
}

// watches says whether the case has a watch.
func (c *Case) watches() bool { return slices.ContainsFunc(c.steps, (*Request).watches) }

// exchange is a case under way at one server.
type exchange struct {
	server  Server
	names   *Names
	answers []*Answer
}

// begin resets a server for the first request of a case.
func begin(s Server) (*exchange, error) {
	if err := s.Reset(); err != nil {
		return nil, err
	}
	base, err := versionOf(s)
	return &exchange{server: s, names: NewNames(base)}, err
}

// send sends the next request.
func (x *exchange) send(step *Request) (*Answer, error) {
	if step.Method == restarts {
		return x.restart()
	}
	r, err := step.fill(x.answers)
	if err != nil {
		return nil, err
	}
	a, err := x.names.answer(r, x.server.Do(r))
	if err != nil {
		return nil, err
	}
	x.answers = append(x.answers, a)
	return a, x.server.Settle()
}

// again sends the last request again, in the place of its answer.
func (x *exchange) again(step *Request) (*Answer, error) {
	x.answers = x.answers[:len(x.answers)-1]
	return x.send(step)
}

// restart restarts the server. What it writes of its own while it starts does not
// count.
func (x *exchange) restart() (*Answer, error) {
	before, err := versionOf(x.server)
	if err != nil {
		return nil, err
	}
	if err := x.server.Restart(); err != nil {
		return nil, err
	}
	after, err := versionOf(x.server)
	x.names.jump(before, after-before)
	a := &Answer{tree: map[string]any{"restarted": true}}
	x.answers = append(x.answers, a)
	return a, err
}

// versionOf is the version a server is at.
func versionOf(s Server) (int64, error) {
	resp := s.Do(get(events))
	body, err := parse("application/json", resp.Body)
	if err != nil {
		return 0, fmt.Errorf("list of events: %d %s: %w", resp.Code, resp.Body, err)
	}
	version, _ := dig(body, "metadata", "resourceVersion").(string)
	return strconv.ParseInt(version, 10, 64)
}

var reference = regexp.MustCompile(`\{(rv|uid|continue|name) (\d+)(?: item (\d+))?\}`)

// fill returns the request with the references filled in.
func (r *Request) fill(answers []*Answer) (*Request, error) {
	var failed error
	replace := func(text string, escape func(string) string) string {
		return reference.ReplaceAllStringFunc(text, func(match string) string {
			value, err := refer(reference.FindStringSubmatch(match), answers)
			if err != nil {
				failed = err
			}
			return escape(value)
		})
	}
	out := *r
	out.Path = replace(r.Path, url.QueryEscape)
	out.Body = replace(r.Body, func(s string) string { return s })
	return &out, failed
}

// refer finds what a reference stands for.
func refer(match []string, answers []*Answer) (string, error) {
	step, _ := strconv.Atoi(match[2])
	if step < 1 || step > len(answers) {
		return "", fmt.Errorf("%s: there are %d answers by now", match[0], len(answers))
	}
	v := answers[step-1].raw
	if match[3] != "" {
		item, _ := strconv.Atoi(match[3])
		items, _ := dig(v, "items").([]any)
		if item >= len(items) {
			return "", fmt.Errorf("%s: the list has %d items", match[0], len(items))
		}
		v = items[item]
	}
	field := map[string]string{"rv": "resourceVersion", "uid": "uid", "continue": "continue", "name": "name"}[match[1]]
	if value, ok := dig(v, "metadata", field).(string); ok && value != "" {
		return value, nil
	}
	return "none", nil
}

func dig(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
