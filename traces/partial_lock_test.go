//go:build !nolocks && (darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package traces

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAKilledProcessLeftIsOverwritten(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.trace")
	require.NoError(t, os.WriteFile(path+".partial", []byte(strings.Repeat("left over ", 1000)), 0o600))
	ev := lostRenewal()
	ev.Seq = 1
	for range 3 {
		write(t, folder, ".trace", []Event{ev})
		require.Equal(t, []string{"run.trace"}, names(t, folder))
		_, events, damage, err := ReadFile(path, ReadOptions{})
		require.NoError(t, err)
		require.Nil(t, damage)
		require.Len(t, events, 1)
	}
}

func TestATraceThatIsBeingWrittenIsNotOverwritten(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.trace")
	first, err := Create(path, Header{Name: "first"}, WriteOptions{})
	require.NoError(t, err)
	second, err := Create(path, Header{Name: "second"}, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"run.trace.partial", "run.trace.partial1"}, names(t, folder))
	require.NoError(t, first.Close())
	third, err := Create(path, Header{Name: "third"}, WriteOptions{})
	require.NoError(t, err)
	second.Abort()
	require.NoError(t, third.Close())
	require.Equal(t, []string{"run.trace"}, names(t, folder))
	h, _, damage, err := ReadFile(path, ReadOptions{Strict: true})
	require.NoError(t, err)
	require.Nil(t, damage)
	require.Equal(t, "third", h.Name)
}

func TestALinkUnderTheTemporaryNameIsNotFollowed(t *testing.T) {
	folder := t.TempDir()
	precious := filepath.Join(folder, "precious")
	require.NoError(t, os.WriteFile(precious, []byte("precious"), 0o600))
	require.NoError(t, os.Symlink("precious", filepath.Join(folder, "run.trace.partial")))
	write(t, folder, ".trace", nil)
	text, err := os.ReadFile(precious)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
}
