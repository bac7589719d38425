package serve

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// piled is the body of a watch with so many events that nobody has read.
type piled struct {
	events int
	closed bool
}

func (p *piled) Read([]byte) (int, error) { return 0, io.EOF }
func (p *piled) Close() error             { p.closed = true; return nil }
func (p *piled) Backlog() int             { return p.events }

// A client that reads a little now and then is never too late with a write, and is
// let go all the same. What the watch began with is no fault of it.
func TestAWatchEndsWhenItsClientIsTooFarBehind(t *testing.T) {
	const initial = 70
	for _, c := range []struct {
		events int
		ended  error
	}{{initial + mostBehind, nil}, {initial + mostBehind + 1, errBehind}} {
		body := &piled{events: c.events}
		l := &loop{full: map[*feed]bool{}}
		f := &feed{loop: l, inner: body, initial: initial, more: make(chan struct{}, 1)}
		l.full[f] = true
		l.look()
		require.Equal(t, c.ended, f.err)
		require.Equal(t, c.ended != nil, body.closed)
		require.Equal(t, c.ended == nil, l.full[f])
	}
}
