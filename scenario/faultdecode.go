package scenario

import (
	"errors"
	"reflect"
	"strings"
)

// DecodeFault reads one fault from YAML or JSON, as an entry of spec.faults is written, for [Cluster.Inject]: it strikes
// at once, so it has no at. It is judged against the scenario, whose nodes it may name. file is what messages call the
// text; "" for what stands in no file. Every error is an *InputError.
func (s *Scenario) DecodeFault(data []byte, file string) (Fault, error) {
	if len(data) > maxInputSize {
		return Fault{}, &InputError{File: file, Message: "is too large to be a fault", Accepted: "up to 4 MiB"}
	}
	root, err := parseOneDocument(data, file)
	if err != nil {
		err.Accepted = strings.Replace(err.Accepted, acceptedFile, acceptedFault, 1)
		if lacksBraces(data) {
			err.Accepted = "braces around fields on one line, as in {kill: {node: node-1}, for: 10s}"
		}
		return Fault{}, err
	}
	d := &inputDecoder{origin: newInputOrigin(file)}
	var f Fault
	if err := d.decode(root, reflect.ValueOf(&f).Elem(), ""); err != nil {
		if err.Line == 0 { // it is about the whole
			err.Line = root.Line
		}
		return Fault{}, err
	}
	if f.At != nil {
		return Fault{}, d.origin.located(&InputError{Field: "at", Message: "has no place here: a fault that is injected strikes at once", Accepted: "no field at"})
	}
	var refused *InputError
	if err := s.CheckFault(f); errors.As(err, &refused) {
		return Fault{}, d.origin.located(refused)
	}
	return f, nil
}

// lacksBraces tells whether braces would make YAML of a line that is none.
func lacksBraces(data []byte) bool {
	line := strings.TrimSpace(string(data))
	if line == "" || strings.Contains(line, "\n") {
		return false
	}
	_, err := parseOneDocument([]byte("{"+line+"}"), "")
	return err == nil
}

// acceptedFault is what the text of a fault holds.
const acceptedFault = "a mapping with the verb of a fault, as in kill: {node: node-1}"
