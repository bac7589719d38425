//go:build !nolocks && (darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package traces

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// openPartial opens a file under a temporary name, new or left over by a process that is gone; os.ErrExist is the error
// where somebody writes to it. A lock tells the two apart, for it goes with the process, however that ends.
func openPartial(name string) (file *os.File, guard io.Closer, err error) {
	for {
		lock, fresh, err := openNewOrLeft(name)
		if err != nil {
			return nil, nil, err
		}
		locked := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if locked != nil && (!fresh || errors.Is(locked, syscall.EWOULDBLOCK)) {
			lock.Close() // taken or, on a file system without locks, perhaps
			return nil, nil, taken(name)
		}
		if !isAt(lock, name) {
			lock.Close() // whoever had it has just put it in its place
			continue
		}
		// The writer has a descriptor of its own, so that it can be closed, and complain, while the lock still holds.
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			lock.Close()
			return nil, nil, err
		}
		return file, lock, nil
	}
}

func openNewOrLeft(name string) (file *os.File, fresh bool, err error) {
	file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil || !errors.Is(err, os.ErrExist) {
		return file, err == nil, err
	}
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false, taken(name) // it is no trace of ours
	}
	file, err = os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, false, taken(name)
	}
	return file, false, err
}

func taken(name string) error { return fmt.Errorf("%s: %w", name, os.ErrExist) }

// isAt tells whether an open file is still what its name stands for.
func isAt(file *os.File, name string) bool {
	here, err := file.Stat()
	there, err2 := os.Lstat(name)
	return err == nil && err2 == nil && os.SameFile(here, there)
}
