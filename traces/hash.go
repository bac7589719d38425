package traces

import (
	"encoding/binary"
	"fmt"
)

// hasher is the rolling hash of a trace: 64 bits, not cryptographic, the same on every architecture.
//
// The state starts at hashStart and takes 64-bit words w, one after the other:
//
//	h = (h XOR w) * 0x9E3779B97F4A7C15 mod 2^64;  h = h XOR (h >> 32)
//
// Each step is a bijection of h and of w, so two traces whose words differ in one place only never have the same
// hash. An event is, in this order: a word with a bit for each field that is not zero (bit 0 is Seq, then the order
// of the fields in hashEvent), and those fields. A number is one word, two's complement. A string of n < 8 bytes is
// one word, its bytes little-endian with n in the top byte; a longer one is the word 0xFF<<56 + n, its whole groups
// of eight bytes, and if n is not a multiple of eight its last eight bytes. Body takes no part. So the words of a
// trace can be read back in one way only, and equal words mean equal events.
type hasher uint64

const (
	hashStart  hasher = 0x686F6C7465723101 // "holter1", and the version of this recipe
	hashFactor uint64 = 0x9E3779B97F4A7C15
)

func (h hasher) word(w uint64) hasher {
	x := (uint64(h) ^ w) * hashFactor
	return hasher(x ^ x>>32)
}

func (h hasher) text(s string) hasher {
	n := len(s)
	if n < 8 {
		return h.word(uint64(n)<<56 | short(s))
	}
	h = h.word(0xFF<<56 | uint64(n))
	for i := 0; i+8 <= n; i += 8 {
		h = h.word(le64(s[i : i+8]))
	}
	if n%8 != 0 {
		h = h.word(le64(s[n-8:]))
	}
	return h
}

// short is up to seven bytes, little-endian. The loads overlap, which is harmless: a byte lands in the same place
// from either of them, and there is no loop.
func short(s string) uint64 {
	n := len(s)
	switch {
	case n >= 4:
		return le32(s) | le32(s[n-4:])<<(8*(n-4))
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<(8*(n/2)) | uint64(s[n-1])<<(8*(n-1))
	}
	return 0
}

// le32 and le64 are the first bytes of s, little-endian; the compiler makes one load of each.
func le32(s string) uint64 {
	_ = s[3]
	return uint64(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

func le64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// event folds ev in.
func (h hasher) event(ev *Event) hasher {
	numbers := [...]uint64{ev.Seq, uint64(ev.At), ev.Cause, uint64(ev.Sent), uint64(int64(ev.Code))}
	texts := [...]*string{
		&ev.Actor, &ev.Kind, &ev.Node, &ev.Verb, &ev.Resource, &ev.Namespace, &ev.Name, &ev.Reason,
		&ev.ResourceVersion, &ev.RenewTime, &ev.From, &ev.To, &ev.Detail,
	}
	var present uint64
	for i, n := range numbers {
		if n != 0 {
			present |= 1 << i
		}
	}
	for i, s := range texts {
		if *s != "" {
			present |= 1 << (len(numbers) + i)
		}
	}
	h = h.word(present)
	for _, n := range numbers {
		if n != 0 {
			h = h.word(n)
		}
	}
	for _, s := range texts {
		if *s != "" {
			h = h.text(*s)
		}
	}
	return h
}

// String is the hash as it is printed: 16 hex digits, after a last mixing so that short traces look random too.
func (h hasher) String() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(h.word(0).word(0)))
	return fmt.Sprintf("%x", b)
}
