package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWarningsAreToldOnceAndCutWhereTheyAreLong(t *testing.T) {
	require.Empty(t, Warnings(nil))
	require.Equal(t, []string{`299 - "a \"b\""`, `299 - "c"`}, Warnings([]string{`a "b"`, "", "c", "with a\nnewline", `a "b"`}))

	long := strings.Repeat("é", mostItem+1)
	require.Equal(t, []string{`299 - "` + long + `"`}, Warnings([]string{long}))
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("%03d", i)+long)
	}
	list := Warnings(many)
	require.Equal(t, 16, len(list), "4096 runes, and 256 of each")
	require.Equal(t, `299 - "000`+strings.Repeat("é", mostItem-3)+`"`, list[0])
}

func TestErrorsOfYAMLAreWarnedOfOneByOne(t *testing.T) {
	require.Equal(t, []string{`unknown field "x"`, `line 1: key "a" already set in map`, `line 2: key "b" already set in map`},
		strictTexts([]error{errors.New(`unknown field "x"`), errors.New("yaml: unmarshal errors:\n  line 1: key \"a\" already set in map\n  line 2: key \"b\" already set in map")}))
}
