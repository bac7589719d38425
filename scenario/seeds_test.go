package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSeedsAreReadInTheOrderTheyAreWritten(t *testing.T) {
	seeds, err := ParseSeeds("3,7,9-12, 1")
	require.NoError(t, err)
	require.Equal(t, []uint64{3, 7, 9, 10, 11, 12, 1}, seeds)

	seeds, err = ParseSeeds("18446744073709551614-18446744073709551615")
	require.NoError(t, err)
	require.Len(t, seeds, 2, "a range may end at the last seed there is")

	seed, err := ParseSeed("18446744073709551615")
	require.NoError(t, err)
	require.Equal(t, uint64(18446744073709551615), seed)
}

func TestBadSeedsAreAnsweredWithOneClearLine(t *testing.T) {
	for text, answer := range map[string]string{
		"":                       `--seeds: "" is neither a seed nor a range of them; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"a-b":                    `--seeds: "a-b" is neither a seed nor a range of them; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"1,,2":                   `--seeds: "" is neither a seed nor a range of them; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"-5":                     `--seeds: "-5" is neither a seed nor a range of them; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"9-3":                    `--seeds: "9-3" ends before it begins; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"1-5,3":                  `--seeds: "3" has seed 3 a second time; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"1..5":                   `--seeds: "1..5" is neither a seed nor a range of them; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"0-1e9":                  `--seeds: "0-1e9" is neither a seed nor a range of them; accepted: seeds and ranges of them, as in 1-1000 or 3,7,9-12`,
		"0-99999999999":          `--seeds: "0-99999999999" asks for too many seeds; accepted: up to 10000000 seeds`,
		"0-18446744073709551615": `--seeds: "0-18446744073709551615" asks for too many seeds; accepted: up to 10000000 seeds`,
	} {
		_, err := ParseSeeds(text)
		requireInputError(t, err)
		require.Equal(t, answer, err.Error())
	}
	for _, text := range []string{"", "-1", "+1", "1.0", "0x10", "18446744073709551616", "one"} {
		_, err := ParseSeed(text)
		requireInputError(t, err)
		require.Equal(t, fmt.Sprintf("--seed: %q is no seed; accepted: a whole number from 0 to 18446744073709551615", text), err.Error())
	}
}

func TestAnySeedsThatAreWrittenAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := rapid.Uint64Max(1<<40).Draw(t, "first")
		var parts []string
		var want []uint64
		for range rapid.IntRange(1, 8).Draw(t, "parts") {
			n := rapid.Uint64Range(1, 20).Draw(t, "length")
			for i := range n {
				want = append(want, next+i)
			}
			if n == 1 {
				parts = append(parts, fmt.Sprint(next))
			} else {
				parts = append(parts, fmt.Sprintf("%d-%d", next, next+n-1))
			}
			next += n + rapid.Uint64Max(5).Draw(t, "gap")
		}
		got, err := ParseSeeds(strings.Join(parts, ","))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func FuzzParseSeedsNeverPanicsAndAnswersInOneLine(f *testing.F) {
	for _, text := range []string{"1-1000", "3,7,9-12", "-", "1-", "0-18446744073709551615"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seeds, err := ParseSeeds(text)
		if err != nil {
			requireInputError(t, err)
			return
		}
		require.NotEmpty(t, seeds)
	})
}
