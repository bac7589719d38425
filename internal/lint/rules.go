package lint

// Rules is the table: a rule more is an entry more, with a source that breaks it and one that does not in samples_test.go.
func Rules() []Rule {
	return append(contractRules(), houseRules()...)
}

// contractRules are the dependency rule and the determinism contract: same scenario, seed and binary, same bytes.
func contractRules() []Rule {
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1"
	return []Rule{
		{Name: "imports go down the storeys", In: product, Check: importsGoDown},
		{Name: "simulated code type-checks", In: simulated, Check: typesKnown},
		{Name: "no wall clock", In: simulated, Bans: []Ban{
			{"time", "Now", "Host.Now"},
			{"time", "Since Until", "Host.Now and Time.Sub"},
			{"time", "Sleep", "Host.Sleep"},
			{"time", "After AfterFunc NewTimer", "Host.Sleep in a process, or sim's Host.After"},
			{"time", "Tick NewTicker", "Host.Every"},
			{"time", "Local LoadLocation Time.Local", "UTC: the machine's time zone is not the scenario's"},
			{"context", "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause", "the client's own timeout, or a deadline against Host.Now"},
			{meta, "Now NowMicro", "metav1.NewTime or metav1.NewMicroTime of Host.Now"},
			{"k8s.io/utils/clock", "RealClock", "Host"},
		}},
		{Name: "randomness has a seed", In: simulated, Bans: []Ban{
			{"math/rand", "", "Host.Rand"},
			{"crypto/rand", "", "Host.Rand"},
			{"hash/maphash", "", "hash/fnv: a maphash seed differs in each process"},
			{"github.com/google/uuid", "", "sixteen bytes of Host.Rand"},
			{"k8s.io/apimachinery/pkg/util/rand", "", "Host.Rand"},
			{"k8s.io/apimachinery/pkg/util/uuid", "", "sixteen bytes of Host.Rand"},
			{"math/rand/v2", "func -NewPCG", "Host.Rand (sim.Rand draws, its source is rand.NewPCG)"},
		}},
		{Name: "one package owns the generator", In: simulatedAbove, Bans: []Ban{
			{"math/rand/v2", "", "Host.Rand"},
		}},
		{Name: "no environment", In: simulated, Bans: []Ban{
			{"os", "Getenv LookupEnv Environ ExpandEnv Hostname Getpid", "an option that the caller passes in"},
			{"syscall", "Getenv Environ", "an option that the caller passes in"},
			{"runtime", "NumGoroutine GOMAXPROCS NumCPU Gosched ReadMemStats SetFinalizer AddCleanup",
				"Engine.Stats, or an option: the run must not know its machine"},
		}},
		{Name: "no goroutines", In: simulated, Check: noGoStatement, Bans: []Ban{
			{"context", "AfterFunc", "Host.Go"},
			{"golang.org/x/sync/errgroup", "", "Host.Go and a Waiter"},
			{"k8s.io/apimachinery/pkg/util/wait", "", "Host.Every or Host.Sleep"},
			{"k8s.io/client-go/informers", "", "heartbeat/informer"},
			{"k8s.io/client-go/tools/cache", "", "heartbeat/informer"},
			{"k8s.io/client-go/util/workqueue", "", "a slice, and Host.Go"},
		}},
		{Name: "no select", In: simulated, Check: noSelect},
		{Name: "no channels in heartbeat", In: in("heartbeat"), Check: noChannels},
		{Name: "no sync", In: simulated, Bans: []Ban{
			{"sync", "* -Locker", "Host.NewMutex, which parks the process and not the engine"},
			{"sync/atomic", "*", "a plain variable: one process runs at a time"},
		}},
		{Name: "mathematics are exact", In: simulated, Check: noFusedProducts, Bans: []Ban{
			{"math", "func -Abs -Ceil -Copysign -Float32bits -Float32frombits -Float64bits -Float64frombits -Floor -Inf -IsInf -IsNaN " +
				"-Max -Min -NaN -Round -RoundToEven -Signbit -Sqrt -Trunc",
				"integer arithmetic, or the quantile table of sim.Dist: results differ between architectures"},
		}},
		{Name: "map keys are sorted", In: simulated, Check: mapKeysSorted, Bans: []Ban{
			{"k8s.io/apimachinery/pkg/util/sets", "Set.UnsortedList Set.PopAny", "sets.List"},
		}},
		{Name: "map ranges say why order is safe", In: simulated, Check: mapRangesExplained},
	}
}

// houseRules are the shape of the code, wherever it lies.
func houseRules() []Rule {
	return []Rule{
		{Name: "Go files parse", In: (*File).IsGo, Check: parses},
		{Name: "packages are named for what they hold", In: (*File).IsGo, Check: packageNamed},
		{Name: "files hold one idea", In: (*File).IsGo, Check: fileFits},
		{Name: "functions fit a screen", In: (*File).IsGo, Check: functionsFit},
		{Name: "nothing is left open", In: authored, Check: nothingLeftOpen},
		{Name: "tests are never skipped", In: (*File).IsGo, Check: nothingSkipped},
		{Name: "exported names are documented", In: (*File).IsGo, Check: exportedDocumented},
		{Name: "packages are documented", In: (*File).IsGo, Check: packageDocumented},
		{Name: "no words of the workplace", In: anyText, Check: noWorkplaceWords},
	}
}
