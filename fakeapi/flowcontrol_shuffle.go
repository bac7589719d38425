package fakeapi

import (
	"crypto/sha256"
	"encoding/binary"
)

// hashFlow is the number that a flow's hand is dealt by. Upstream: hashFlowID
// (apiserver v0.36, pkg/util/flowcontrol/apf_controller.go).
func hashFlow(schema, flow string) uint64 {
	sum := sha256.Sum256([]byte(schema + "\x00" + flow))
	return binary.LittleEndian.Uint64(sum[:8])
}

// deal fills a hand with cards from a deck of so many, no card twice: each is
// what the hash leaves when it is divided by the cards that are left. Upstream:
// Dealer.Deal (apiserver v0.36, pkg/util/shufflesharding).
func deal(hash uint64, deck int, hand []int) []int {
	var left [15]int // of the division, one for each card
	for i := range hand {
		left[i] = int(hash % uint64(deck-i))
		hash /= uint64(deck - i)
	}
	for i := range hand {
		card := left[i]
		for j := i; j > 0; j-- {
			if card >= left[j-1] {
				card++ // the cards dealt before are no longer in the deck
			}
		}
		hand[i] = card
	}
	return hand
}
