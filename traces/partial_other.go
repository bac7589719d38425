//go:build nolocks || !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package traces

import (
	"io"
	"os"
)

// openPartial opens a new file under a temporary name; os.ErrExist is the error where there is one already, which
// without locks may be somebody's.
func openPartial(name string) (file *os.File, guard io.Closer, err error) {
	file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return file, nil, err
}
