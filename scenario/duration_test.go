package scenario

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDurationsAreTextAndReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Duration{time.Duration(rapid.Int64().Draw(t, "nanoseconds"))}
		text, err := json.Marshal(d)
		require.NoError(t, err)
		var again Duration
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, d, again)
	})
}

func TestDurationsAreWrittenAsPeopleWriteThem(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 5 * time.Minute: "5m", 90 * time.Second: "1m30s", 2 * time.Hour: "2h", 2*time.Hour + 5*time.Second: "2h0m5s",
		10 * time.Second: "10s", -time.Minute: "-1m", 20 * time.Minute: "20m", 10 * time.Hour: "10h",
	} {
		require.Equal(t, want, Duration{d}.String())
	}
}

func TestDurationsRefuseNumbersWithAClearMessage(t *testing.T) {
	for text, want := range map[string]string{
		`10`:     `10 is no text with a duration; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		`"10"`:   `"10" is a number without a unit; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		`"0"`:    `"0" is a number without a unit; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		`"soon"`: `"soon" is no duration; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
	} {
		var d Duration
		require.EqualError(t, d.UnmarshalJSON([]byte(text)), want)
	}
}

func TestWhenIsAMomentOrARange(t *testing.T) {
	for text, want := range map[string]When{
		`"5s"`:                     {At: Duration{5 * time.Second}},
		`{"from":"1s","to":"2s"}`:  {From: Duration{time.Second}, To: Duration{2 * time.Second}},
		`{"from":"0s","to":"20s"}`: {To: Duration{20 * time.Second}},
	} {
		var w When
		require.NoError(t, json.Unmarshal([]byte(text), &w))
		require.Equal(t, want, w)
		again, err := json.Marshal(w)
		require.NoError(t, err)
		require.JSONEq(t, text, string(again))
	}
	for _, text := range []string{`{"from":"1s"}`, `{"to":"1s"}`, `{"at":"1s"}`, `5`, `[]`} {
		require.Error(t, new(When).UnmarshalJSON([]byte(text)), text)
	}
}

// draws gives the numbers it holds, one after another.
type draws []int64

func (d *draws) Int64N(n int64) int64 {
	next := (*d)[0]
	*d = (*d)[1:]
	return next % n
}

func TestWhenDrawsFromBothEnds(t *testing.T) {
	w := When{From: Duration{10}, To: Duration{12}}
	for i, want := range []time.Duration{10, 11, 12, 10} {
		require.Equal(t, want, w.Draw(&draws{int64(i)}))
	}
	require.Equal(t, time.Duration(12), w.Latest())
	at := When{At: Duration{7}}
	require.Equal(t, time.Duration(7), at.Draw(nil), "a moment is not drawn")
	require.Equal(t, time.Duration(7), at.Latest())
}

func TestDistSpecGivesTheDistributionItDescribes(t *testing.T) {
	for _, c := range []struct {
		spec DistSpec
		want string
	}{
		{DistSpec{Fixed: &Duration{4 * time.Millisecond}}, "4ms"},
		{DistSpec{From: Duration{time.Millisecond}, To: Duration{5 * time.Millisecond}}, "1ms..5ms"},
		{DistSpec{P50: Duration{4 * time.Millisecond}, P99: Duration{20 * time.Millisecond}}, "p50 4ms p99 20ms"},
		{DistSpec{Histogram: []HistogramBucket{{Duration{5 * time.Millisecond}, 90}, {Duration{25 * time.Millisecond}, 100}}}, "le 5ms: 90, le 25ms: 100"},
	} {
		d, err := c.spec.Dist()
		require.NoError(t, err)
		require.Equal(t, c.want, d.String())
	}
	none, err := DistSpec{}.Dist()
	require.NoError(t, err)
	require.True(t, none.IsZero())
	nothing, err := DistSpec{Fixed: &Duration{}}.Dist()
	require.NoError(t, err)
	require.False(t, nothing.IsZero(), "a delay of nothing is a distribution")

	for _, spec := range []DistSpec{
		{Fixed: &Duration{1}, To: Duration{1}}, {Fixed: &Duration{-1}}, {From: Duration{2}, To: Duration{1}}, {From: Duration{-1}},
		{P50: Duration{2}, P99: Duration{1}}, {P99: Duration{1}}, {P50: Duration{1}}, {P50: Duration{-1}}, {To: Duration{-1}},
		{Fixed: &Duration{1}, Histogram: []HistogramBucket{{Duration{1}, 1}}}, {Histogram: []HistogramBucket{{Duration{1}, 0}}},
	} {
		_, err := spec.Dist()
		require.Error(t, err, "%+v", spec)
	}
}
