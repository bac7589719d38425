package informer

import (
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/require"
)

func TestWatchThatEndsSoonAndEmptyHasFailed(t *testing.T) {
	for _, c := range []struct {
		name   string
		lasts  time.Duration
		events int
		want   string
		backs  bool
	}{
		{"soon and empty", time.Second - 1, 0, "state at 10", true},
		{"after a second", time.Second, 0, "watch at 10", false},
		{"soon, but with an event", 10 * time.Millisecond, 1, "watch at 11", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := streaming(node("a", 3)), &stream{}
			l := newLab(t, answers(first, second, streaming()), nil)
			l.to(5 * time.Second)
			first.end(nil)
			l.to(5*time.Second + c.lasts)
			for range c.events {
				second.send(watch.Modified, node("a", 11))
			}
			second.end(nil)
			l.to(time.Minute)
			require.Equal(t, []string{"state at ", "watch at 10", c.want}, l.kinds())
			if pause := l.requests[2].at - 5*time.Second - c.lasts; c.backs {
				requirePause(t, backoffInit, pause)
			} else {
				require.Zero(t, pause)
			}
		})
	}
}

func TestStateIsNoEventOfTheWatchThatFollowsIt(t *testing.T) {
	first := streaming(node("a", 3))
	l := newLab(t, answers(first, streaming()), nil)
	l.to(0)
	first.end(nil) // within a second of the state's end
	l.to(time.Minute)
	require.Equal(t, []string{"state at ", "state at 10"}, l.kinds())
	requirePause(t, backoffInit, l.requests[1].at)
}

func TestStateThatEndsTooEarlyIsAskedForAgain(t *testing.T) {
	early := &stream{}
	early.send(watch.Added, node("a", 3))
	l := newLab(t, answers(early, streaming(node("b", 4))), nil)
	l.to(2 * time.Second)
	early.end(nil)
	l.to(2 * time.Second)
	require.Equal(t, []string{"state at ", "state at "}, l.kinds(), "at once")
	require.Equal(t, []string{"b"}, l.names(), "and what had come of it is forgotten")
}

// rest.Request.Watch makes an empty watch of what might be the end of one.
func TestWatchThatCannotBeOpenedForTheConnectionIsAnEmptyOne(t *testing.T) {
	for name, err := range map[string]error{
		"timeout": &url.Error{Op: "Get", URL: "https://kube-apiserver", Err: os.ErrDeadlineExceeded},
		"reset":   &url.Error{Op: "Get", URL: "https://kube-apiserver", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
	} {
		t.Run(name, func(t *testing.T) {
			first := streaming(node("a", 3))
			l := newLab(t, answers(first, err, streaming()), nil)
			l.to(5 * time.Second)
			first.end(nil)
			l.to(time.Minute)
			require.Equal(t, []string{"state at ", "watch at 10", "state at 10"}, l.kinds())
			requirePause(t, backoffInit, l.requests[2].at-5*time.Second)
			require.Contains(t, l.failures[0], "very short watch")
		})
	}
}
