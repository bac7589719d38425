package sim

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ProcessPanic is the error that ends a run when a process or a callback
// panics. It says who, when and under which seed, which is what it takes to see
// it again.
type ProcessPanic struct {
	Process string // name given to Go or Every; "" for a callback
	Host    string // "" for a callback of no host
	At      Time
	Seed    uint64
	Value   any    // what the code panicked with
	Stack   []byte // of the panic, as runtime/debug.Stack formats it
}

// Error returns one line without the stack.
func (p *ProcessPanic) Error() string {
	who := "callback"
	if p.Process != "" {
		who = fmt.Sprintf("process %q", p.Process)
	}
	if p.Host != "" {
		who += fmt.Sprintf(" of host %q", p.Host)
	}
	return fmt.Sprintf("panic in %s at %v, seed %d: %v", who, p.At, p.Seed, p.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (p *ProcessPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

var errImmortal = errors.New("the process was killed but recovers and goes on; its coroutine is lost")

// crash ends the run with a panic that has just been recovered.
func (e *Engine) crash(process string, l *life, value any) {
	p := &ProcessPanic{Process: process, At: e.now, Seed: e.seed, Value: value, Stack: debug.Stack()}
	if l != nil {
		p.Host = l.host.name
	}
	e.Stop(p)
}
