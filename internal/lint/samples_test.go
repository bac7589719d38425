package lint

import (
	"slices"
	"strings"
)

// Marks are built from pieces, so that this file keeps the rules it tests.
const (
	leftOpen = "TO" + "DO"
	atWork   = "/wo" + "rk/"
	skipCall = "t.Sk" + "ip"
)

// samples are the tests of the lint itself: for each rule, sources that break it and sources that keep it.
var samples = slices.Concat(storeySamples, clockSamples, randomSamples, machineSamples, processSamples, numberSamples, orderSamples, houseSamples)

var storeySamples = []sample{
	{"imports go down the storeys", "sim/a.go", `package sim
import (
	"fmt"
	"github.com/holter-sim/holter/heartbeat" // want
	"github.com/spf13/cobra" // want
	"k8s.io/api/core/v1" // want
	"k8s.io/utils/clock"
	"k8s.io/utilsx" // want
)
`},
	{"imports go down the storeys", "heartbeat/lease/a.go", `package lease
import (
	"github.com/holter-sim/holter/fakeapi" // want
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/scenario" // want
	"github.com/holter-sim/holter/sim" // want
	"github.com/holter-sim/holter/traces" // want
	"k8s.io/client-go/kubernetes"
)
`},
	{"imports go down the storeys", "fakeapi/a.go", `package fakeapi
import (
	"github.com/holter-sim/holter/heartbeat/kubelet" // want
	"github.com/holter-sim/holter/internal/lint" // want
	"github.com/holter-sim/holter/scenario" // want
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces" // want
)
`},
	{"imports go down the storeys", "traces/a.go", `package traces
import (
	"github.com/holter-sim/holter/sim" // want
	"github.com/klauspost/compress/zstd"
)
`},
	{"imports go down the storeys", "extras/a.go", "package extras // want\n"},
	{"imports go down the storeys", "scenario/a.go", `package scenario
import (
	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
)
`},
	{"imports go down the storeys", "heartbeat/lease/a_test.go", "package lease_test\nimport _ \"github.com/holter-sim/holter/sim\"\n"},
	{"simulated code type-checks", "sim/a.go", "package sim\n\nvar x int = \"text\" // want\n"},
	{"simulated code type-checks", "sim/a.go", "// No variant has this tag: want.\n\n//go:build never\n\npackage sim\n"},
	{"simulated code type-checks", "sim/a.go", "//go:build mutants\n\npackage sim\n\nvar x int = 1\n"},
}

var clockSamples = []sample{
	{"no wall clock", "sim/a.go", `package sim
import "time"
var a = time.Now // want
var b = time.Since(time.Time{}) // want
var c = time.Until(time.Time{}) // want
func f() {
	time.Sleep(1) // want
	<-time.After(1) // want
	time.AfterFunc(1, f) // want
	<-time.Tick(1) // want
	time.NewTimer(1) // want
	time.NewTicker(1) // want
	_ = time.Unix(0, 0).Local() // want
}
`},
	{"no wall clock", "heartbeat/kubelet/a.go", `package kubelet
import (
	"context"
	wall "time"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
)
var a = wall.Now() // want
var b = metav1.Now() // want
var c = metav1.NowMicro() // want
var d clock.Clock = clock.RealClock{} // want
var e, cancel = context.WithTimeout(context.Background(), 1) // want
`},
	{"no wall clock", "fakeapi/a.go", "package fakeapi\nimport . \"time\"\nvar a = Now() // want\n"},
	{"no wall clock", "traces/a.go", "//go:build mutants\n\npackage traces\nimport \"time\"\nvar a = time.Now() // want\n"},
	{"no wall clock", "sim/a.go", `package sim
import "time"
type host struct{ Now func() time.Time }
var a = host{}.Now()
var b = time.Time{}.After(time.Time{})
var c = time.Unix(0, 0).UTC().Add(time.Second)
`},
	{"no wall clock", "sim/a_test.go", "package sim\nimport \"time\"\nvar a = time.Now()\n"},
	{"no wall clock", "cmd/holter/a.go", "package main\nimport \"time\"\nvar a = time.Now()\n"},
}

var randomSamples = []sample{
	{"randomness has a seed", "sim/a.go", `package sim
import (
	"crypto/rand" // want
	"hash/maphash" // want
	old "math/rand" // want
)
var a, b, c = rand.Reader, maphash.String, old.Int
`},
	{"randomness has a seed", "sim/a.go", `package sim
import "math/rand/v2"
var a = rand.IntN(3) // want
var b = rand.New(nil) // want
var c = rand.N[int64] // want
`},
	{"randomness has a seed", "sim/a.go", `package sim
import "math/rand/v2"
var a rand.Source = rand.NewPCG(1, 2)
func f(p *rand.PCG) uint64 { return p.Uint64() }
`},
	{"randomness has a seed", "heartbeat/a.go", "package heartbeat\nimport \"k8s.io/apimachinery/pkg/util/uuid\" // want\nvar a = uuid.NewUUID\n"},
	{"randomness has a seed", "sim/a.go", "package sim\nimport \"hash/fnv\"\nvar a = fnv.New64a\n"},
	{"one package owns the generator", "fakeapi/a.go", "package fakeapi\nimport \"math/rand/v2\" // want\nvar a rand.PCG\n"},
	{"one package owns the generator", "sim/a.go", "package sim\nimport \"math/rand/v2\"\nvar a rand.PCG\n"},
}

var machineSamples = []sample{
	{"no environment", "sim/a.go", `package sim
import (
	"os"
	"runtime"
)
var a = os.Getenv("SEED") // want
var b = os.Environ() // want
var c, d = os.LookupEnv("SEED") // want
var e = runtime.NumGoroutine() // want
var f = runtime.GOMAXPROCS(0) // want
`},
	{"no environment", "traces/a.go", `package traces
import (
	"os"
	"runtime"
)
var a, b = os.Open("file")
var c = runtime.GOOS
`},
}

var processSamples = []sample{
	{"no goroutines", "fakeapi/a.go", `package fakeapi
import "k8s.io/client-go/tools/cache" // want
var a = cache.MetaNamespaceKeyFunc
func f() {
	go f() // want
}
`},
	{"no goroutines", "fakeapi/a.go", "package fakeapi\nimport \"iter\"\nvar a, b = iter.Pull[int](nil)\n"},
	{"no goroutines", "fakeapi/a_test.go", "package fakeapi\nfunc f() { go f() }\n"},
	{"no select", "heartbeat/a.go", "package heartbeat\nfunc f() {\n\tselect {} // want\n}\n"},
	{"no select", "heartbeat/a.go", "package heartbeat\nfunc f() {\n\tswitch {\n\t}\n}\n"},
	{"no channels in heartbeat", "heartbeat/a.go", `package heartbeat
func f(c chan int) {
	c <- 1 // want
	<-c // want
	for range c { // want
	}
}
`},
	{"no channels in heartbeat", "heartbeat/a.go", "package heartbeat\nfunc f(c chan int, s []int) {\n\tclose(c)\n\tfor range s {\n\t}\n}\n"},
	{"no sync", "sim/a.go", `package sim
import (
	"sync"
	"sync/atomic"
)
var a sync.Locker = &sync.Mutex{} // want
var b atomic.Int64 // want
var c struct {
	sync.RWMutex // want
}
`},
	{"no sync", "sim/a.go", "package sim\nimport \"sync\"\nfunc f(l sync.Locker) { l.Lock(); l.Unlock() }\n"},
}

var numberSamples = []sample{
	{"mathematics are exact", "sim/a.go", `package sim
import "math"
var a = math.Log(2) // want
var b = math.Exp(2) // want
var c = math.Pow(2, 3) // want
var d = math.Sin // want
func f(x, y, z float64) float64 {
	x *= y // want
	return x*y + z // want
}
`},
	{"mathematics are exact", "sim/a.go", `package sim
import "math"
const big = math.MaxInt64
var a = math.Sqrt(2) + math.Floor(math.Pi)
func f(x, y, z float64, i int64) (float64, int64) {
	return float64(x*y) + z + 2*math.E, int64(x*(y/z)) + i*i
}
`},
}

var orderSamples = []sample{
	{"map keys are sorted", "sim/a.go", `package sim
import (
	"maps"
	"slices"
	"k8s.io/apimachinery/pkg/util/sets"
)
func f(m map[string]int) {
	for range maps.Keys(m) { // want
	}
	_ = slices.Collect(maps.Values(m)) // want
	keys := slices.Collect(maps.Keys(m)) // want
	f(m)
	slices.Sort(keys)
	_ = maps.Keys[map[string]int] // want
	_ = sets.New("a").UnsortedList() // want
}
`},
	{"map keys are sorted", "sim/a.go", `package sim
import (
	"maps"
	"slices"
	"sort"
)
func f(m map[string]int) {
	for range slices.Sorted(maps.Keys(m)) {
	}
	keys := slices.Collect(maps.Keys(m))
	slices.Sort(keys)
	keys = slices.Collect(maps.Keys(m))
	sort.Strings(keys)
	_ = maps.Clone(m)
}
`},
	{"map ranges say why order is safe", "sim/a.go", `package sim
type index map[string]int
func f[M index | []int](m index, g M) {
	for k := range m { // want
		_ = k
	}
	// order:
	for _, v := range m { // want
		_ = v
	}
	// in any order: it is a sum
	for _, v := range m { // want
		_ = v
	}
	for _, v := range map[int]bool{} { // want
		_ = v
	}
}
`},
	{"map ranges say why order is safe", "sim/a.go", `package sim
func f(m map[string]int, s []int) (sum int) {
	// order: a sum does not depend on it
	for _, v := range m {
		sum += v
	}
	for k := range m { // order: each key is deleted
		delete(m, k)
	}
	// order: each key is deleted,
	// and nothing else happens
	for k := range m {
		delete(m, k)
	}
	for range m {
		sum++
	}
	for _, v := range s {
		sum += v
	}
	return sum
}
`},
}

var houseSamples = []sample{
	{"Go files parse", "cmd/a.go", "package p // want\nfunc {\n"},
	{"Go files parse", "cmd/a.go", "package p\n"},
	{"packages are named for what they hold", "internal/util/a.go", "package util // want\n"},
	{"packages are named for what they hold", "internal/a_test.go", "package helpers_test // want\n"},
	{"packages are named for what they hold", "internal/a.go", "package utility\n"},
	{"files hold one idea", "sim/a.go", "package sim\n" + strings.Repeat("//\n", 599) + "// want\n"},
	{"files hold one idea", "sim/a.go", "package sim\n" + strings.Repeat("//\n", 599)},
	{"files hold one idea", "sim/a_test.go", "package sim\n" + strings.Repeat("//\n", 700)},
	{"functions fit a screen", "sim/a.go", "package sim\n\nfunc f() { // want\n" + strings.Repeat("\n", 79) + "}\n"},
	{"functions fit a screen", "sim/a.go", "package sim\n\nvar f = func() { // want\n" + strings.Repeat("\n", 79) + "}\n"},
	{"functions fit a screen", "sim/a.go", "package sim\n\nfunc f() {\n" + strings.Repeat("\n", 78) + "}\n"},
	{"nothing is left open", "sim/a.go", "package sim\n\n/* the rest:\n" + leftOpen + ": want */\n"},
	{"nothing is left open", "docs/a.md", "# Title\n\n" + leftOpen + " want\n"},
	{"nothing is left open", "sim/a.go", "package sim\n\nimport \"context\"\n\nvar a = context." + leftOpen + "()\n"},
	{"nothing is left open", "testdata/a.log", leftOpen + " of somebody else\n"},
	{"tests are never skipped", "sim/a_test.go", "package sim\nimport \"testing\"\nfunc TestA(t *testing.T) {\n\t" + skipCall + "(\"want\")\n}\n"},
	{"tests are never skipped", "sim/a_test.go", "package sim\nimport \"testing\"\nfunc TestA(t *testing.T, list skipper) { list.Skip() }\n"},
	{"exported names are documented", "sim/a.go", `package sim
func F() {} // want
type T struct{} // want
func (t *T) M() {} // want
type G[K any] struct{} // want
func (G[K]) M() {} // want
var V int // want
//go:noinline
func H() {} // want
// These are two.
type (
	B int // want
	C int // want
)
const (
	// D is one.
	D = 1

	E = "want"
)
`},
	{"exported names are documented", "sim/a.go", `package sim

// F does.
func F() {}

// The states.
const (
	A = 1
	B = 2
)

var (
	C = 1 // C counts.
)

const (
	// D and E are two.
	D = 1
	E = 2
)

type hidden struct{}

func (hidden) M() {}
`},
	{"exported names are documented", "cmd/holter/a.go", "package main\n\nfunc F() {}\n"},
	{"packages are documented", "sim/a.go", "package sim // want\n"},
	{"packages are documented", "sim/a.go", "// Package sim runs.\npackage sim\n"},
	{"no words of the workplace", "docs/a.md", "see " + atWork + "main (want)\n(" + atWork + "x) want\n"},
	{"no words of the workplace", "testdata/a.log", "fetched from https://proxy.go" + "lang.org (want)\n"},
	{"no words of the workplace", "docs/a.md", "see docs" + atWork + "flow, and the roots\n"},
}
