package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holter-sim/holter/traces"
)

// versionsGrow: no write gives an object an older resourceVersion than it had,
// and a new object's is newer than any before. (A write that changes nothing
// leaves the version as it is.)
type versionsGrow struct {
	broken
	last    uint64
	objects map[objectKey]uint64
}

type objectKey struct{ resource, namespace, name string }

func newVersionsGrow() *versionsGrow { return &versionsGrow{objects: map[objectKey]uint64{}} }

func (g *versionsGrow) observe(ev *traces.Event) {
	if ev.Kind != traces.KindRequest || ev.Code < 200 || ev.Code > 299 {
		return
	}
	switch ev.Verb {
	case "create", "update", "patch":
	default:
		return
	}
	version, err := strconv.ParseUint(ev.ResourceVersion, 10, 64)
	if err != nil {
		g.add("versions-grow", ev, fmt.Sprintf("resourceVersion %q is no number", ev.ResourceVersion))
		return
	}
	resource, _, _ := strings.Cut(ev.Resource, "/")
	key := objectKey{resource, ev.Namespace, ev.Name}
	if before := g.objects[key]; version < before {
		g.add("versions-grow", ev, fmt.Sprintf("%s %s goes back from resourceVersion %d to %d", resource, ev.Name, before, version))
	}
	if ev.Verb == "create" && version <= g.last {
		g.add("versions-grow", ev, fmt.Sprintf("a new object has resourceVersion %d, %d was given out before", version, g.last))
	}
	g.objects[key] = version
	g.last = max(g.last, version)
}
