# Everything a change needs, with Go, git, bash and (for race) a C compiler. Bare `make` prints the targets.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := usage

# Packages that hold goldens, and their rewriting switch.
GOLDEN ?= ./scenario/... ./traces ./cmd/holter ./heartbeat/version
# Packages with goroutines of their own, or that others call from theirs.
RACE ?= ./sim/... ./fakeapi/... ./scenario/... ./serve
# Packages that are measured, which benchmarks, and for how long each.
BENCH ?= ./...
BENCHRUN ?= .
BENCHTIME ?= 1s
# Tests whose bytes must not depend on the machine, and the settings they are run under.
STABLE ?= $(GOLDEN)
STABLERUN ?= Golden|Determini|Replay|Hash|Seed
# Flags for the conformance tests: -run Lease, -schedules=10000, -rapid.seed=0 for other schedules each time.
CONFORMANCE ?=
# Where etcd, kube-apiserver and kubectl are put, built from their Go modules.
APISERVERBIN ?= $(CURDIR)/bin/apiserver
# A kubeconfig to run the kubectl script with; none is our server on loopback.
KUBECTLCONFIG ?=
# Which mutants, by words of their names with _ between them; none is all. By the
# environment, as a name may have an apostrophe.
export MUTANT ?=

.PHONY: usage
usage: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## every test: go test ./...
	go test ./...

.PHONY: example-manager
example-manager: ## the example with controller-runtime, a module of its own (downloads controller-runtime)
	cd examples/manager && go vet . && go test .

.PHONY: lint
lint: ## go vet, gofmt, and the house rules (internal/lint)
	go vet ./...
	@unformatted=$$(gofmt -l .); \
	if [[ -n $$unformatted ]]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	go test -count=1 ./internal/lint

.PHONY: race
race: ## tests under the race detector (needs a C compiler)
	go test -race -timeout=30m $(RACE)

.PHONY: golden
golden: ## rewrite the goldens; read `git diff` before committing
	HOLTER_GOLDEN=rewrite go test -count=1 $(GOLDEN)
	@git status --short -- '*.golden'

.PHONY: determinism
determinism: ## the same bytes on one core and many, with the collector off and busy
	GOMAXPROCS=1 go test -count=1 -run '$(STABLERUN)' $(STABLE)
	GOMAXPROCS=8 go test -count=1 -run '$(STABLERUN)' $(STABLE)
	GOGC=off go test -count=1 -run '$(STABLERUN)' $(STABLE)
	GOGC=5 go test -count=1 -run '$(STABLERUN)' $(STABLE)

.PHONY: mutants
mutants: ## break the model on purpose, one way at a time; a test must notice each (MUTANT=renewal)
	go test -v -count=1 -timeout=2h -tags mutants -run "TestMutants/$$MUTANT" ./internal/mutants

.PHONY: conformance
conformance: ## upstream's own code beside ours, 500 schedules each (downloads and builds k8s.io/kubernetes)
	cd conformance && go test . -count=1 $(CONFORMANCE)

.PHONY: conformance-registry
conformance-registry: ## our API server beside upstream's registries: 1,200 requests from tables, 100 drawn sequences
	cd conformance && go test ./registry -count=1 -v $(CONFORMANCE)

.PHONY: apiserver-binaries
apiserver-binaries: # etcd, kube-apiserver and kubectl, at the versions of their go.mod
	cd conformance/registry/binaries && nice go build -o $(APISERVERBIN)/ k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kubectl
	cd conformance/registry/binaries && nice go build -o $(APISERVERBIN)/etcd go.etcd.io/etcd/server/v3

.PHONY: conformance-apiserver
conformance-apiserver: apiserver-binaries ## those registries, and kubectl, beside a real kube-apiserver and etcd (builds them: 10 minutes at first)
	cd conformance && HOLTER_APISERVER_BIN=$(APISERVERBIN) go test ./registry -count=1 -v -tags apiserver -run 'TheRealThing|KubectlSays' $(CONFORMANCE)

.PHONY: conformance-kubectl
conformance-kubectl: apiserver-binaries ## what kubectl prints of our server, beside what it prints of kube-apiserver (KUBECTLCONFIG=FILE for another)
	cd conformance && HOLTER_APISERVER_BIN=$(APISERVERBIN) HOLTER_KUBECONFIG=$(KUBECTLCONFIG) \
	  go test ./registry -count=1 -v -tags apiserver -run 'KubectlOfOurs' $(CONFORMANCE)

.PHONY: bench
bench: ## benchmarks, with a table at the end (BENCH=./sim BENCHRUN=Queue BENCHTIME=3s)
	@go test -run '^$$' -bench '$(BENCHRUN)' -benchtime $(BENCHTIME) -benchmem $(BENCH) | awk ' \
	  /^pkg:/ { pkg = $$2; sub(/^github.com\/holter-sim\/holter\//, "", pkg) } \
	  /no test files|^PASS|^goos|^goarch|^cpu|^ok .*0\.0[0-9]*s$$/ { next } \
	  { print; fflush() } \
	  /^Benchmark.* ns\/op/ { name = $$1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$$/, "", name); rest = ""; \
	    for (i = 3; i < NF; i += 2) rest = rest sprintf("%12s %-10s", $$i, $$(i+1)); \
	    rows[n++] = sprintf("%-24s %-32s %s", pkg, name, rest) } \
	  END { if (n) print "\n" n " benchmarks:"; for (i = 0; i < n; i++) print rows[i] }'

.PHONY: build
build: ## bin/holter
	go build -trimpath -o bin/ ./cmd/...
