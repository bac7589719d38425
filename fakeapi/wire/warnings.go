package wire

import (
	"strings"
	"unicode/utf8"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// All warnings of an answer have up to so many runes, or else each is cut, and
// no more are told when that many are reached. Upstream: filters.recorder
// (apiserver v0.37, pkg/endpoints).
const (
	mostWarning = 4 * 1024
	mostItem    = 256
)

// Warnings makes Warning headers of texts: each text once, and cut where they
// are long. What cannot stand in a header is left out.
func Warnings(texts []string) []string {
	told, total := map[string]bool{}, 0
	var once []string
	for _, text := range texts {
		if text != "" && !told[text] {
			told[text] = true
			once = append(once, text)
			if _, err := warning(text); err == nil {
				total += utf8.RuneCountInString(text)
			}
		}
	}
	var list []string
	written := 0
	for _, text := range once {
		if total > mostWarning {
			if written >= mostWarning {
				break
			}
			text = firstRunes(text, mostItem)
		}
		if header, err := warning(text); err == nil {
			list = append(list, header)
			written += utf8.RuneCountInString(text)
		}
	}
	return list
}

func warning(text string) (string, error) { return utilnet.NewWarningHeader(299, "-", text) }

func firstRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n])
}

// strictTexts tells what a strict decoder has found, the errors of YAML one by
// one. Upstream: addStrictDecodingWarnings.
func strictTexts(errs []error) []string {
	var texts []string
	for _, err := range errs {
		text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		lines, many := strings.CutPrefix(text, "yaml: unmarshal errors:\n")
		if !many {
			texts = append(texts, err.Error())
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			texts = append(texts, strings.TrimSpace(line))
		}
	}
	return texts
}
