package scenario

import (
	"fmt"
	"strconv"

	"github.com/holter-sim/holter/traces"
)

// versionsGrow: the API server gives out resourceVersions that never go back
// from one write to the next.
type versionsGrow struct {
	broken
	last uint64
}

func (g *versionsGrow) observe(ev *traces.Event) {
	if ev.Kind != traces.KindRequest || ev.Code == 0 || ev.Code >= 300 || ev.Verb != "create" && ev.Verb != "update" {
		return
	}
	version, err := strconv.ParseUint(ev.ResourceVersion, 10, 64)
	if err != nil {
		g.add("versions-grow", ev, fmt.Sprintf("resourceVersion %q is no number", ev.ResourceVersion))
		return
	}
	// A write that changes nothing keeps the version of its object, so only a
	// version that was never reached is new.
	if version > g.last {
		g.last = version
	} else if ev.Verb == "create" {
		g.add("versions-grow", ev, fmt.Sprintf("a new object has resourceVersion %d, %d was given out before", version, g.last))
	}
}
