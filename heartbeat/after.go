package heartbeat

import "time"

// After runs f as a process once d has passed, which must be over 0; until then
// it holds a timer and no stack, which a process that sleeps would. stop calls
// it off. name is as for [Host.Every].
func After(h Host, name string, d time.Duration, f func()) (stop func()) {
	begun := false
	stop = h.Every(name, d, 0, false, func() {
		if !begun {
			begun = true // the turn that Every takes at once
			return
		}
		stop()
		f()
	})
	return stop
}
