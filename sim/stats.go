package sim

// Stats are counters of a run so far.
type Stats struct {
	Events   uint64 // events that have happened
	Ties     uint64 // timers that fell on the instant of the timer before them
	Switches uint64 // times a process was entered

	Pending       int // events yet to happen, those of paused hosts included
	Processes     int // processes that have started and not ended
	PeakProcesses int // most processes at one time
	Coroutines    int // stacks, in use or in the pool
}

// Stats returns the counters of the run so far.
func (e *Engine) Stats() Stats {
	s := e.stats
	s.Pending = e.pending()
	return s
}
