package registry

import (
	"fmt"
	"regexp"
	"slices"
)

// accept is a difference that is meant.
type accept struct {
	where  string // a regular expression for "topic: case: step N: path: theirs | ours", or for that with the method in front
	reason string
}

// difference is one that was found.
type difference struct {
	topic string
	c     *Case
	step  int
	what  string
}

// String names the case, and shows the request and what both said: the other
// side first.
func (d difference) String() string {
	r := d.c.steps[d.step]
	return fmt.Sprintf("%s\n\t%s %.200s %.300s", d.line(), r.Method, r.Path, r.Body)
}

func (d difference) line() string {
	return fmt.Sprintf("%s: %s: step %d: %s", d.topic, d.c.name, d.step+1, d.what)
}

// judge decides which differences are accepted, and counts.
type judge struct {
	accepted           []accept
	patterns           []*regexp.Regexp
	used               []int
	requests, equal    int
	casesRun, caseSame int
}

func newJudge(accepted []accept) *judge {
	j := &judge{accepted: accepted, used: make([]int, len(accepted))}
	for _, a := range accepted {
		j.patterns = append(j.patterns, regexp.MustCompile(a.where))
	}
	return j
}

// compare returns the differences of a case that are not accepted.
func (j *judge) compare(topic string, c *Case, theirs, ours []*Answer) []difference {
	var found []difference
	before := j.requests - j.equal
	for i := range theirs {
		found = append(found, j.compareStep(topic, c, i, theirs[i], ours[i])...)
	}
	j.casesRun++
	if before == j.requests-j.equal {
		j.caseSame++
	}
	return found
}

// compareStep returns those of one request.
func (j *judge) compareStep(topic string, c *Case, step int, theirs, ours *Answer) []difference {
	var found []difference
	list := Differences(theirs, ours)
	j.requests++
	if len(list) == 0 {
		j.equal++
	}
	for _, what := range list {
		if d := (difference{topic, c, step, what}); !j.accepts(d) {
			found = append(found, d)
		}
	}
	return found
}

func (j *judge) accepts(d difference) bool {
	for i, p := range j.patterns {
		if p.MatchString(d.line()) || p.MatchString(d.c.steps[d.step].Method+" "+d.line()) {
			j.used[i]++
			return true
		}
	}
	return false
}

// summary is the count.
func (j *judge) summary() []string {
	lines := []string{fmt.Sprintf("%d of %d requests answered the same to the letter", j.equal, j.requests)}
	if j.casesRun > 0 {
		lines[0] += fmt.Sprintf(", and so did all of %d of %d cases", j.caseSame, j.casesRun)
	}
	for i, a := range j.accepted {
		lines = append(lines, fmt.Sprintf("%5d accepted: %s: %s", j.used[i], a.where, a.reason))
	}
	return lines
}

// unused lists what is accepted and never came.
func (j *judge) unused() []string {
	var out []string
	for i, a := range j.accepted {
		if j.used[i] == 0 {
			out = append(out, a.where)
		}
	}
	return slices.Clip(out)
}
