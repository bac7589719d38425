package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// InputError is one thing that is wrong with what the user wrote, said in one line.
type InputError struct {
	File string // as the user named it; "" for what came from a command line or from Go code
	Line int    // from 1; 0 where it is not known
	// Field is the path from the top of the file ("spec.faults[1].kill.node"), or the option it came from ("--seeds").
	Field string
	Value string // what was found there, as it was written; "" where nothing was
	// Message is the whole complaint, Value included.
	Message string
	// Accepted is what would have been right; "" where the message says so already.
	Accepted string
	// Others are what else is wrong with the same input, where it was found in one go; Error does not tell of them.
	Others []*InputError
}

// All is the error and the others.
func (e *InputError) All() []*InputError { return append([]*InputError{e}, e.Others...) }

// inputErrors makes one error of several, nil of none.
func inputErrors(list []*InputError) *InputError {
	if len(list) == 0 {
		return nil
	}
	first := *list[0]
	first.Others = list[1:]
	return &first
}

// Error gives "FILE:LINE: FIELD: MESSAGE; accepted: ACCEPTED", without the parts that are empty.
func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString(inputPlace(e.File, e.Line, e.Field))
	b.WriteString(e.Message)
	if e.Accepted != "" {
		b.WriteString("; accepted: ")
		b.WriteString(e.Accepted)
	}
	return inputOneLine(b.String())
}

// Warning is something that is allowed and probably not what was meant. Its fields are InputError's.
type Warning struct {
	File    string
	Line    int
	Field   string
	Message string
}

// String gives "FILE:LINE: FIELD: MESSAGE", without the parts that are empty.
func (w Warning) String() string {
	return inputOneLine(inputPlace(w.File, w.Line, w.Field) + w.Message)
}

// badValue is the common complaint: the value, quoted, and what is the matter with it.
func badValue(field, value, problem, accepted string) *InputError {
	return &InputError{Field: field, Value: value, Message: fmt.Sprintf("%s %s", inputQuote(value), problem), Accepted: accepted}
}

// missingValue is the complaint about a field that is not there.
func missingValue(field, why, accepted string) *InputError {
	return &InputError{Field: field, Message: "missing" + why, Accepted: accepted}
}

func inputPlace(file string, line int, field string) string {
	var b strings.Builder
	if file != "" {
		b.WriteString(file)
		if line > 0 {
			b.WriteString(":" + strconv.Itoa(line))
		}
		b.WriteString(": ")
	}
	if field != "" {
		b.WriteString(field + ": ")
	}
	return b.String()
}

// inputQuote quotes a value for a message, and cuts it where it would drown the message.
func inputQuote(value string) string {
	const most = 60
	if runes := []rune(value); len(runes) > most {
		return strconv.Quote(string(runes[:most-3])) + "..."
	}
	return strconv.Quote(value)
}

// inputOneLine escapes what would break the line: field names and file names are the user's, too.
func inputOneLine(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
