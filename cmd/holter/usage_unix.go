//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// resources is what the process has used so far: processor time of all its threads, and the most memory that it had at
// once, in bytes (getrusage).
func resources() (cpu time.Duration, peakRSS int64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	peakRSS = int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" { // which alone counts in bytes
		peakRSS *= 1024
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), peakRSS
}
