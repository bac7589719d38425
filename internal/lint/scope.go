package lint

import (
	"path"
	"slices"
)

// in is the product code of a storey: its Go files without tests.
func in(storeys ...string) func(*File) bool {
	return func(f *File) bool { return product(f) && slices.Contains(storeys, f.Storey()) }
}

// product is Go code that ships: no tests, and none of the modules inside the module, which have rules of their own.
func product(f *File) bool { return f.IsGo() && !f.IsTest() && !f.Nested }

// simulated is the code under the determinism contract.
func simulated(f *File) bool { return in("sim", "heartbeat", "fakeapi", "traces")(f) }

// simulatedAbove is the code under the determinism contract above the engine.
func simulatedAbove(f *File) bool { return simulated(f) && f.Storey() != "sim" }

// anyText is every file that can be read.
func anyText(f *File) bool { return f.Text != nil }

// authored is what people write: not recordings and goldens, which may quote anything, and not checksums.
func authored(f *File) bool { return anyText(f) && !f.Testdata && path.Base(f.Path) != "go.sum" }
