package conformance

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/holter-sim/holter/heartbeat/version"
)

var schedules = flag.Int("schedules", 500, "how many fault schedules each comparison draws; see also -rapid.seed, 0 for others each time")

// upstreamVersion is the version of Kubernetes in go.mod.
var upstreamVersion = version.Version{Minor: 37, Patch: 1}

func TestMain(m *testing.M) {
	flag.Parse()
	set("rapid.checks", fmt.Sprint(*schedules))
	if !given("rapid.seed") { // a change that passed is to pass tomorrow
		set("rapid.seed", "1")
	}
	klog.SetLogger(logr.Discard())
	// HandleError logs, and lets a caller that is faster than one error a
	// millisecond wait. The first is noise; the second measures against the wall
	// clock that the process started at, which a bubble knows nothing of.
	utilruntime.ErrorHandlers = nil
	// A controller that panics is to be seen, and not to end the tests.
	utilruntime.ReallyCrash = false
	os.Exit(m.Run())
}

func given(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}
