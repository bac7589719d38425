package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// mostSeeds bounds what one list of seeds can ask for.
const mostSeeds = 10_000_000

// ParseSeed reads the value of --seed. The error is an *InputError.
func ParseSeed(text string) (uint64, error) {
	seed, ok := parseSeedNumber(text)
	if !ok {
		return 0, badValue("--seed", text, "is no seed", "a whole number from 0 to 18446744073709551615")
	}
	return seed, nil
}

// ParseSeeds reads the value of --seeds, single seeds and ranges with both ends in them, "3,7,9-12", in the order they
// are written. A seed that comes twice is an error, since it would count twice. The error is an *InputError.
func ParseSeeds(text string) ([]uint64, error) {
	const accepted = "seeds and ranges of them, as in 1-1000 or 3,7,9-12"
	var seeds []uint64
	seen := map[uint64]bool{}
	for _, part := range strings.Split(text, ",") {
		first, last, ok := parseSeedRange(strings.TrimSpace(part))
		switch {
		case !ok:
			return nil, badValue("--seeds", part, "is neither a seed nor a range of them", accepted)
		case last < first:
			return nil, badValue("--seeds", part, "ends before it begins", accepted)
		case last-first >= mostSeeds || len(seeds)+int(last-first)+1 > mostSeeds:
			return nil, badValue("--seeds", text, "asks for too many seeds", fmt.Sprintf("up to %d seeds", mostSeeds))
		}
		for seed := first; ; seed++ {
			if seen[seed] {
				return nil, badValue("--seeds", part, fmt.Sprintf("has seed %d a second time", seed), accepted)
			}
			seen[seed] = true
			seeds = append(seeds, seed)
			if seed == last {
				break
			}
		}
	}
	return seeds, nil
}

func parseSeedRange(text string) (first, last uint64, ok bool) {
	from, to, isRange := strings.Cut(text, "-")
	if first, ok = parseSeedNumber(strings.TrimSpace(from)); !ok || !isRange {
		return first, first, ok
	}
	last, ok = parseSeedNumber(strings.TrimSpace(to))
	return first, last, ok
}

// parseSeedNumber reads digits and nothing else.
func parseSeedNumber(text string) (uint64, bool) {
	if strings.HasPrefix(text, "+") {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil
}
