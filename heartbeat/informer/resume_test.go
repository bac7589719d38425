package informer

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
)

var (
	errRefused  = fmt.Errorf("dial: %w", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})
	errTooMany  = apierrors.NewTooManyRequests("later", 0)
	errExpired  = apierrors.NewResourceExpired("too old resource version: 1 (2)")
	errInternal = apierrors.NewInternalError(errors.New("broken"))
)

func TestWatchThatTheServerEndedGoesOnAtTheLastVersion(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	server.Put(node("a", 0))
	l.to(time.Second)
	server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b"}})
	ends := time.Duration(*l.requests[0].o.TimeoutSeconds) * time.Second
	l.to(ends)
	require.Equal(t, []string{"state at ", "watch at 3"}, l.kinds())
	require.Equal(t, ends, l.requests[1].at, "at once")
	server.Remove(node("a", 0))
	l.to(ends + time.Second)
	require.Equal(t, []string{"a 2 added", "b 3 added", "a 2 deleted"}, l.told, "nothing twice")
	require.Empty(t, l.failures)
}

func TestBookmarksMoveThePlace(t *testing.T) {
	first := streaming(node("a", 3))
	l := newLab(t, answers(first, &stream{}), nil)
	l.to(2 * time.Second)
	first.send(watch.Bookmark, node("", 17))
	first.end(nil)
	l.to(2 * time.Second)
	require.Equal(t, []string{"state at ", "watch at 17"}, l.kinds())
}

func TestRefusedConnectionsAnd429KeepThePlaceAndBackOff(t *testing.T) {
	for name, err := range map[string]error{"refused": errRefused, "429": errTooMany} {
		t.Run(name, func(t *testing.T) {
			first := streaming(node("a", 3))
			l := newLab(t, answers(first, err, err, err, &stream{}), nil)
			l.to(5 * time.Second)
			first.end(nil)
			l.to(time.Minute)
			require.Equal(t, []string{"state at ", "watch at 10", "watch at 10", "watch at 10", "watch at 10"}, l.kinds())
			requireBackoffs(t, l, 1, 4)
		})
	}
}

func TestStateThatIsRefusedIsAskedForAgain(t *testing.T) {
	for name, err := range map[string]error{"refused": errRefused, "429": errTooMany} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, answers(err, err, err, streaming()), nil)
			l.to(time.Minute)
			require.Equal(t, []string{"state at ", "state at ", "state at ", "state at "}, l.kinds())
			requireBackoffs(t, l, 0, 3)
			require.True(t, l.informer.HasSynced())
		})
	}
}

func TestStreamThatEndsWith429KeepsItsPlaceAfterABackoff(t *testing.T) {
	first := streaming(node("a", 3))
	l := newLab(t, answers(first, &stream{}), nil)
	l.to(5 * time.Second)
	first.send(watch.Error, &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests})
	ended := l.engine.Now().Duration()
	l.to(time.Minute)
	require.Equal(t, []string{"state at ", "watch at 10"}, l.kinds())
	requirePause(t, 800*time.Millisecond, l.requests[1].at-ended)
}

func TestOtherErrorsAskForTheStateAfterABackoff(t *testing.T) {
	for name, err := range map[string]error{"410": errExpired, "500": errInternal, "lost": errors.New("http2: client connection lost")} {
		t.Run(name+" of the stream", func(t *testing.T) {
			first := streaming(node("a", 3))
			l := newLab(t, answers(first, streaming()), nil)
			l.to(5 * time.Second)
			first.end(err)
			l.to(time.Minute)
			require.Equal(t, []string{"state at ", "state at 10"}, l.kinds(), "no older than what is known")
			requirePause(t, 800*time.Millisecond, l.requests[1].at-5*time.Second)
			require.Len(t, l.failures, 1)
		})
		t.Run(name+" of the request", func(t *testing.T) {
			first := streaming(node("a", 3))
			l := newLab(t, answers(first, err, streaming()), nil)
			l.to(5 * time.Second)
			first.end(nil)
			l.to(time.Minute)
			require.Equal(t, []string{"state at ", "watch at 10", "state at 10"}, l.kinds())
			requirePause(t, 800*time.Millisecond, l.requests[2].at-l.requests[1].at)
		})
	}
}

func TestStateOfAVersionThatIsGoneIsAskedForAtOnceWithoutIt(t *testing.T) {
	first := streaming(node("a", 3))
	l := newLab(t, answers(first, errExpired, errExpired, streaming(), &stream{}), nil)
	l.to(5 * time.Second)
	first.end(nil)
	l.to(time.Minute)
	require.Equal(t, []string{"state at ", "watch at 10", "state at 10", "state at "}, l.kinds())
	require.Equal(t, l.requests[2].at, l.requests[3].at)
}

// A server that starts again has lost its watch log, so every watch comes back
// to 410, and waits for the reflector's backoff before the new state.
func TestRestartedServerIsListedAnewAndDeletionsAreDetected(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	for _, name := range []string{"a", "b", "c"} {
		server.Put(node(name, 0))
	}
	l.to(5 * time.Second)
	l.told = nil
	server.Host().Kill()
	l.to(6 * time.Second)
	require.Equal(t, []string{"state at ", "watch at 4"}, l.kinds()[:2], "the place is kept as long as the server is down")
	server.Remove(node("a", 0))
	server.Put(node("d", 0))
	server.Host().Restart()
	l.to(time.Minute)

	n := len(l.kinds())
	require.Equal(t, "watch at 4", l.kinds()[n-2])
	require.Equal(t, "state at 4", l.kinds()[n-1])
	require.Equal(t, []string{"a 2 deleted", "b 3 updated from 3", "c 4 updated from 4", "d 6 added"}, l.told, "deletions first; the rest again")
	require.Equal(t, []string{"b", "c", "d"}, l.names())
	require.GreaterOrEqual(t, l.requests[n-1].at-l.requests[n-2].at, backoffInit)
}
