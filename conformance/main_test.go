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

var schedules = flag.Int("schedules", 500, "how many fault schedules each comparison draws; 10000 is a night's work")

// upstreamVersion is the version of Kubernetes in go.mod.
var upstreamVersion = version.Version{Minor: 37, Patch: 1}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", fmt.Sprint(*schedules)); err != nil {
		panic(err)
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
