package scenario

import "testing"

// TestTheReferenceInDocsIsThatOfTheCode holds docs/scenario.md, which `make
// golden` writes.
func TestTheReferenceInDocsIsThatOfTheCode(t *testing.T) {
	compareGolden(t, "../docs/scenario.md", []byte(Reference()))
}
