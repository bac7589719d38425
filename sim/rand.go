package sim

import (
	"math/bits"
	"math/rand/v2"
)

// Rand is a random stream: the PCG generator of math/rand/v2, seeded by hashing
// the stream's name, under draws of our own that are the same on every machine
// and under every version of Go.
type Rand struct {
	pcg rand.PCG
}

// Uint64 returns a uniform 64-bit number.
func (r *Rand) Uint64() uint64 { return r.pcg.Uint64() }

// Int64N returns a uniform number in [0, n), without bias (Lemire's method).
// n <= 0 panics.
func (r *Rand) Int64N(n int64) int64 {
	if n <= 0 {
		panic("sim: Int64N of a bound that is not positive")
	}
	bound := uint64(n)
	hi, lo := bits.Mul64(r.pcg.Uint64(), bound)
	if lo < bound {
		for reject := -bound % bound; lo < reject; {
			hi, lo = bits.Mul64(r.pcg.Uint64(), bound)
		}
	}
	return int64(hi)
}

// Bool returns true in permille of a thousand cases: never for 0 or less, always
// for 1000 or more. It takes one draw either way.
func (r *Rand) Bool(permille int) bool { return r.Int64N(1000) < int64(permille) }

// seed starts the stream of that full name. kind keeps the engine's streams
// apart from the hosts'.
func (r *Rand) seed(seed uint64, kind, name string, incarnation int, purpose string) {
	state := streamHash(seed, kind, name, incarnation, purpose)
	r.pcg.Seed(mix64(state), mix64(state+golden)) // two draws of SplitMix64
}

// streamHash is FNV-1a over the parts of a stream's name, each with its length
// before it. It is to go through mix64, the other half of the mixer.
func streamHash(seed uint64, kind, name string, incarnation int, purpose string) uint64 {
	h := uint64(fnvOffset)
	for i := range 8 {
		h = (h ^ seed>>(8*i)&0xff) * fnvPrime
	}
	h = hashString(h, kind)
	h = hashString(h, name)
	h = hashUint(h, uint64(incarnation))
	h = hashString(h, purpose)
	return h + golden
}

const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
	golden    = 0x9e3779b97f4a7c15
)

func hashString(h uint64, s string) uint64 {
	h = hashUint(h, uint64(len(s)))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

func hashUint(h, n uint64) uint64 {
	for i := range 8 {
		h = (h ^ n>>(8*i)&0xff) * fnvPrime
	}
	return h
}

// mix64 is the finalizer of SplitMix64, a bijection.
func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
