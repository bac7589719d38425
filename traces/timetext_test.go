package traces

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTimesHaveAFixedWidth(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                       "000000.000000s",
		115*time.Second + 3210*time.Microsecond: "000115.003210s",
		1999:                                    "000000.000001s",
		999999*time.Second + 999999*time.Microsecond: "999999.999999s",
		1000000 * time.Second:                        "1000000.000000s",
		-time.Second:                                 "-000001.000000s",
		math.MaxInt64:                                "9223372036.854775s",
	} {
		require.Equal(t, want, FormatTime(d))
	}
}

func TestWhatIsNoTimeIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "s", "1s", "000115.003210", "00115.003210s", "0000115.003210s", "000115.00321s", "000115.0032100s",
		"000115,003210s", " 000115.003210s", "-000000.000000s", "--00001.000000s", "+000001.000000s",
		"00011a.003210s", "000115.00321as", "9999999999.000000s", "9223372036.854776s", "99999999999.000000s",
	} {
		_, err := ParseTime(text)
		require.Error(t, err, text)
	}
}

func TestTimesSurviveTheirTextToTheMicrosecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyTime().Draw(t, "d")
		micros, nanos := splitMicros(d)
		back, err := ParseTime(FormatTime(d))
		require.NoError(t, err)
		require.Equal(t, time.Duration(micros)*time.Microsecond, back)
		exact, ok := joinMicros(back, uint64(nanos))
		require.True(t, ok)
		require.Equal(t, d, exact)
		standard, err := time.ParseDuration(FormatTime(d))
		require.NoError(t, err)
		require.Equal(t, back, standard)
	})
}

func TestTimesSortAsTheirTextsDo(t *testing.T) {
	within := rapid.Int64Range(0, int64(1_000_000*time.Second)-1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := time.Duration(within.Draw(t, "a")), time.Duration(within.Draw(t, "b"))
		if a.Truncate(time.Microsecond) < b.Truncate(time.Microsecond) {
			require.Less(t, FormatTime(a), FormatTime(b))
		}
	})
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"000115.003210s", "-000001.000000s", "1000000.000000s", "9223372036.854775s", "1s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseTime(text)
		if err != nil {
			return
		}
		require.Equal(t, text, FormatTime(d))
		standard, err := time.ParseDuration(text)
		require.NoError(t, err)
		require.Equal(t, standard, d)
	})
}
