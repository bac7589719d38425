package sim

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTimeReadsAsSecondsOfFixedWidth(t *testing.T) {
	for instant, want := range map[Time]string{
		0:                                "000000.000000s",
		999:                              "000000.000000s",
		1_000:                            "000000.000001s",
		Time(115*time.Second + 3210_999): "000115.003210s",
		Time(999_999 * time.Second):      "999999.000000s",
		Time(1_000_000 * time.Second):    "1000000.000000s",
		Never:                            "9223372036.854775s",
	} {
		require.Equal(t, want, instant.String())
	}
}

func TestTimeTextParsesAndSortsAsTheInstantsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.Int64Range(0, int64(999_999*time.Second))
		a, b := Time(instant.Draw(t, "a")), Time(instant.Draw(t, "b"))
		parsed, err := time.ParseDuration(a.String())
		require.NoError(t, err)
		require.Equal(t, a.Duration().Truncate(time.Microsecond), parsed)
		order := strings.Compare(a.String(), b.String())
		if a < b {
			require.LessOrEqual(t, order, 0)
		} else {
			require.GreaterOrEqual(t, order, 0)
		}
	})
}

func TestTimeAddStopsAtNever(t *testing.T) {
	require.Equal(t, Never, Time(1).Add(math.MaxInt64))
	require.Equal(t, Never, Never.Add(time.Hour))
	require.Equal(t, Time(3), Time(1).Add(2))
	require.Equal(t, Time(1), Time(3).Add(-2))
	require.Equal(t, time.Duration(2), Time(3).Sub(1))
}
