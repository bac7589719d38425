package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQueuePopsInOrderWhateverIsPushedInBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []entry
		var key uint64
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if q.min() == nil || rapid.IntRange(0, 2).Draw(t, "push") > 0 {
				key++
				x := entry{at: Time(rapid.IntRange(0, 9).Draw(t, "at")), key: key}
				q.push(x)
				model = append(model, x)
			} else {
				least := 0
				for i := range model {
					if model[i].less(&model[least]) {
						least = i
					}
				}
				require.Equal(t, model[least], *q.min())
				q.pop()
				model = append(model[:least], model[least+1:]...)
			}
			require.Equal(t, len(model), q.len())
			if rapid.IntRange(0, 20).Draw(t, "filter") == 0 {
				odd := func(x entry) bool { return x.key%2 == 1 }
				q.filter(odd)
				var kept []entry
				for _, x := range model {
					if odd(x) {
						kept = append(kept, x)
					}
				}
				model = kept
			}
		}
	})
}
