package informer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat"
)

// What a reflector does otherwise in older versions; see the flags of version.Informer.

func TestRefusedConnectionKeepsThePlaceSince1_16(t *testing.T) {
	for release, kinds := range map[string][]string{
		"1.13": {"list at 0", "watch at 10", "list at 0", "watch at 20"},
		"1.15": {"list at 0", "watch at 10", "list at 0", "watch at 20"},
		"1.16": {"list at 0", "watch at 10", "watch at 10"},
		"1.27": {"list at 0", "watch at 10", "watch at 10"},
		"1.34": {"list at 0", "watch at 10", "watch at 10"},
	} {
		t.Run(release, func(t *testing.T) {
			l := newLabOf(t, release, answers(errRefused, &stream{}), lists(listed("10"), listed("20")))
			l.to(10 * time.Second)
			require.Equal(t, kinds, l.kinds())
		})
	}
}

func TestRefusedConnectionsAreAskedAgainEverySecondUpTo1_19(t *testing.T) {
	l := newLabOf(t, "1.19", answers(errRefused, errRefused, errRefused, &stream{}), lists(listed("10")))
	l.to(10 * time.Second)
	require.Equal(t, []string{"list at 0", "watch at 10", "watch at 10", "watch at 10", "watch at 10"}, l.kinds())
	for i := range 4 {
		require.Equal(t, time.Duration(i)*time.Second, l.requests[1+i].at)
	}
}

// A watch that is refused between two failures costs the backoff of failures a
// step since 1.28; before, each of the two has its own.
func TestRefusedConnectionsHaveABackoffOfTheirOwnFrom1_20To1_27(t *testing.T) {
	for release, after := range map[string]time.Duration{"1.20": backoffInit, "1.27": backoffInit, "1.28": 4 * backoffInit} {
		t.Run(release, func(t *testing.T) {
			l := newLabOf(t, release, answers(errRefused, errRefused, errInternal, &stream{}), lists(listed("10")))
			l.to(20 * time.Second)
			require.Equal(t, []string{"list at 0", "watch at 10", "watch at 10", "watch at 10", "list at 10", "watch at 10"}, l.kinds())
			requirePause(t, backoffInit, l.requests[2].at-l.requests[1].at)
			requirePause(t, 2*backoffInit, l.requests[3].at-l.requests[2].at)
			requirePause(t, after, l.requests[4].at-l.requests[3].at)
		})
	}
}

func TestBusyServerCostsAListUpTo1_21(t *testing.T) {
	for release, kinds := range map[string][]string{
		"1.21": {"list at 0", "watch at 10", "list at 10", "watch at 10", "list at 10", "watch at 10"},
		"1.22": {"list at 0", "watch at 10", "watch at 10", "watch at 10"},
	} {
		t.Run(release, func(t *testing.T) {
			first := &stream{}
			l := newLabOf(t, release, answers(errTooMany, first, &stream{}), lists(listed("10")))
			l.to(5 * time.Second)
			first.end(errTooMany)
			l.to(20 * time.Second)
			require.Equal(t, kinds, l.kinds())
		})
	}
}

func TestListsAfterAFailureTakeAnyStateUpTo1_16(t *testing.T) {
	for release, second := range map[string]string{"1.16": "list at 0", "1.17": "list at 10"} {
		t.Run(release, func(t *testing.T) {
			l := newLabOf(t, release, answers(errInternal, &stream{}), lists(listed("10")))
			l.to(5 * time.Second)
			require.Equal(t, []string{"list at 0", "watch at 10", second, "watch at 10"}, l.kinds())
		})
	}
}

func TestWatchesAskForBookmarksSince1_16(t *testing.T) {
	for release, wanted := range map[string]bool{"1.15": false, "1.16": true} {
		l := newLabOf(t, release, answers(&stream{}), lists(listed("10")))
		l.to(time.Second)
		require.Equal(t, wanted, l.requests[1].o.AllowWatchBookmarks, release)
	}
}

func TestStateThatIsReplacedLosesWhatIsGoneFirstSince1_33(t *testing.T) {
	for release, told := range map[string][]string{
		"1.32": {"a 3 added", "b 4 added", "b 6 updated from 4", "c 5 added", "a 3 deleted"},
		"1.33": {"a 3 added", "b 4 added", "a 3 deleted", "b 6 updated from 4", "c 5 added"},
	} {
		t.Run(release, func(t *testing.T) {
			var failing heartbeat.WatchFunc = answers(errInternal, &stream{})
			l := newLabOf(t, release, failing, lists(listed("10", node("a", 3), node("b", 4)), listed("20", node("b", 6), node("c", 5))))
			l.to(5 * time.Second)
			require.Equal(t, told, l.told)
			require.Equal(t, []string{"b", "c"}, l.names())
		})
	}
}

// Failures that go on keep the pauses long up to 1.35. Since 1.36 the backoff
// begins anew two minutes after it began, though nothing has succeeded.
func TestTheBackoffOfALongOutageBeginsAnewSince1_36(t *testing.T) {
	for release, anew := range map[string]bool{"1.18": false, "1.35": false, "1.36": true} {
		l := newLabOf(t, release, answers(errInternal), lists(errInternal))
		l.to(15 * time.Minute)
		shortest := time.Hour
		for i := range l.requests[1:] {
			if before := l.requests[i]; before.at > 3*time.Minute {
				shortest = min(shortest, l.requests[i+1].at-before.at)
			}
		}
		require.Equal(t, anew, shortest < backoffMax, "%s: %v", release, shortest)
	}
}
