package fakeapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// client-go opens a watch again when its connection could not be made. The server
// may have opened the first, whose answer was lost; it forgets that one.
func TestAWatchThatIsOpenedAgainHearsOfEachChangeOnce(t *testing.T) {
	l := newLab(t, Options{})
	other := l.client(ClientOptions{Host: l.e.NewHost("other"), Name: "other"})
	heard := 0
	l.do(func() {
		first := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		heal := l.s.Network().Add(partition)
		_, err := first.Next()
		require.ErrorContains(t, err, "connection lost")
		l.start(other.host, func() { // the dial's first SYN is lost, its second is not, but all answers are
			other.host.Sleep(500 * time.Millisecond)
			answers := l.s.Network().Add(Rule{LoseReply: true, Match: Match{Clients: []string{"test/host"}}})
			heal()
			other.host.Sleep(20 * time.Second)
			answers()
		})

		second := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		opened := 0
		for _, call := range l.answered {
			if call.Verb == "watch" {
				opened++
			}
		}
		require.Equal(t, 3, opened, "the server has opened one whose answer was lost")
		require.Equal(t, 1, l.s.Stats().Watches)
		l.start(other.host, func() { other.createNode("n") })
		l.h.Sleep(time.Minute)
		for {
			_, ok, err := second.TryNext()
			require.NoError(t, err)
			if !ok {
				return
			}
			heard++
		}
	})
	require.Equal(t, 1, heard)
}
