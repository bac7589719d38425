package main

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is how often progress is shown at most.
const progressEvery = 100 * time.Millisecond

// progress is one line on standard error that is written again and again, and taken away in the end. It is there only
// where standard error is a terminal.
type progress struct {
	out   io.Writer // nil: nobody is looking
	what  string
	clock func() time.Time
	began time.Time
	shown time.Time
	width int
}

func (c *cli) newProgress(what string) *progress {
	p := &progress{what: what, clock: time.Now, began: time.Now()}
	if isTerminal(c.errOut) {
		p.out = c.errOut
	}
	p.shown = p.began // what is over soon shows nothing
	return p
}

// run shows how far virtual time is, how much faster than the clock on the wall, and how long it will take yet.
func (p *progress) run(now, end time.Duration) {
	p.show(func(spent time.Duration) string {
		return fmt.Sprintf("%s of %s  %s  %s", now.Truncate(time.Second), end, speed(now, spent), left(int64(now), int64(end), spent))
	})
}

// seeds shows how many runs are done.
func (p *progress) seeds(done, total int) {
	p.show(func(spent time.Duration) string {
		return fmt.Sprintf("%s of %s  %s", number(done), plural(total, "seed"), left(int64(done), int64(total), spent))
	})
}

// step shows what is being done.
func (p *progress) step(text string) {
	p.shown = time.Time{}
	p.show(func(time.Duration) string { return text })
}

// end takes the line away.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

func (p *progress) show(text func(spent time.Duration) string) {
	now := p.clock()
	if p.out == nil || now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	line := p.what + ": " + text(now.Sub(p.began))
	fmt.Fprintf(p.out, "\r%-*s", p.width, line)
	p.width = max(p.width, len(line))
}

// left guesses how long the rest takes.
func left(done, total int64, spent time.Duration) string {
	if done <= 0 {
		return ""
	}
	rest := time.Duration(float64(spent) * float64(total-done) / float64(done))
	return rest.Round(time.Second).String() + " left"
}
