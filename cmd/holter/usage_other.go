//go:build !unix

package main

import "time"

// resources is not known here.
func resources() (cpu time.Duration, peakRSS int64) { return 0, 0 }
