package sim

// unwind is what a killed process panics with, so that its deferred calls run.
type unwind struct{}

func (unwind) Error() string { return "sim: the process was killed" }

// refusalLimit is how often a body may recover the unwinding and block again
// before its coroutine is given up for lost.
const refusalLimit = 1000

// dying reports whether p, if there is one, has been killed and runs on only to
// unwind.
func (p *process) dying() bool { return p != nil && p.life.dead }

// end is the root of the unwinding: it tells a return from a kill from a crash.
func (p *process) end() {
	v := recover()
	if p.abandoned {
		return
	}
	e, l, of := p.e, p.life, p.loop
	name := p.name
	l.unlink(p)
	e.stats.Processes--
	p.life, p.body, p.loop, p.name = nil, nil, nil, ""
	switch _, killed := v.(unwind); {
	case p.ended:
		if of != nil {
			of.returned()
		}
	case killed && l.dead:
	case v != nil:
		e.crash(name, l, v)
	default: // runtime.Goexit: it takes the coroutine, then the engine's caller
		e.stats.Coroutines--
	}
}

// refuse counts a body that goes on after it was told to unwind. One that will
// never end is cut off: its coroutine is lost, the run ends, and says why.
func (p *process) refuse() {
	if p.refusals++; p.refusals <= refusalLimit {
		return
	}
	if !p.abandoned {
		p.abandoned = true
		p.life.unlink(p)
		p.e.stats.Processes--
		p.e.stats.Coroutines--
		p.e.crash(p.name, p.life, errImmortal)
	}
	for p.yield(struct{}{}) { // nobody enters it any more
	}
}
