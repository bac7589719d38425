package sim

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var writeQuantiles = flag.Bool("write-quantiles", false, "compute quantiles.go anew")

func TestEveryQuantileIsTheNearestInteger(t *testing.T) {
	if *writeQuantiles {
		writeQuantileTable(t)
	}
	for i, got := range normalQuantiles {
		want := upperQuantile(tableTail(i)) * (1 << zBits)
		require.InDelta(t, want, float64(got), 0.6, "entry %d", i)
	}
}

// tableTail returns the upper tail that entry i of the table is for.
func tableTail(i int) float64 {
	halvings, step := i>>quantileStepBits, i&(1<<quantileStepBits-1)
	return math.Ldexp(1-float64(step)/(2<<quantileStepBits), -halvings-1)
}

// upperQuantile returns the z above which a standard normal variable lies with
// probability tail <= 0.5, by Newton's method on the error function.
func upperQuantile(tail float64) float64 {
	z := 0.0
	for range 100 {
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		z += (math.Erfc(z/math.Sqrt2)/2 - tail) / density
	}
	return z
}

func TestQuantilesBetweenTheEntriesAreClose(t *testing.T) {
	for i := range len(normalQuantiles) - 1 {
		for _, part := range []float64{0.25, 0.5, 0.75} {
			tail := tableTail(i)*(1-part) + tableTail(i+1)*part
			u := uint64(math.Ldexp(1-tail, 62))
			require.InDelta(t, upperQuantile(tail), math.Ldexp(float64(normalQuantile(u)), -zBits), 5e-6)
		}
	}
}

func TestQuantilesAreSymmetricAndCutOffAtTheEnd(t *testing.T) {
	const top = 1<<62 - 1
	last := int64(normalQuantiles[len(normalQuantiles)-1])
	for u := uint64(1); u < 1<<61; u = u*3 + 1 {
		require.Equal(t, normalQuantile(top-u), -normalQuantile(u))
		require.LessOrEqual(t, normalQuantile(top-u), last)
	}
	require.Equal(t, last, normalQuantile(top))
	require.Equal(t, -last, normalQuantile(0))
	require.LessOrEqual(t, normalQuantile(1<<61), int64(1))
}

func writeQuantileTable(t *testing.T) {
	source, err := os.ReadFile("quantiles.go")
	require.NoError(t, err)
	head, _, _ := strings.Cut(string(source), "int32{\n")
	var b strings.Builder
	b.WriteString(head + "int32{")
	for i := range normalQuantiles {
		sep := " "
		if i%16 == 0 {
			sep = "\n\t"
		}
		fmt.Fprintf(&b, "%s%d,", sep, int64(math.Round(upperQuantile(tableTail(i))*(1<<zBits))))
	}
	b.WriteString("\n}\n")
	require.NoError(t, os.WriteFile("quantiles.go", []byte(b.String()), 0o644))
}
