package conformance

import (
	"reflect"

	"github.com/holter-sim/holter/sim"
)

// nextEvent is when the engine's next event falls due, sim.Never if none does.
// It may be one that was cancelled. The engine has no method for this: nobody
// but a second clock beside it needs to know. It holds between runs only.
func nextEvent(e *sim.Engine) sim.Time {
	heap := reflect.ValueOf(e).Elem().FieldByName("queue").FieldByName("heap")
	if heap.Len() == 0 {
		return sim.Never
	}
	return sim.Time(heap.Index(0).FieldByName("at").Int())
}
