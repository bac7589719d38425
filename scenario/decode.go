package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

const (
	stdinName    = "-"
	stdinDisplay = "<stdin>"
	maxInputSize = 4 << 20
)

// Load reads the scenario file at path, or r if path is "-", and the KubeletConfiguration file that it names. It does
// not judge the values: Validate does, once every Set has been made. The warnings are those of Warnings. Every error
// is an *InputError.
func Load(path string, r io.Reader) (*Scenario, []Warning, error) {
	data, unread := readInput(path, r)
	if unread != nil {
		return nil, nil, unread
	}
	s, _, err := Decode(data, DisplayName(path))
	if err != nil {
		return nil, nil, err
	}
	if s.Spec.KubeletConfigFile != "" && s.Spec.KubeletConfig == "" {
		text, err := s.readKubeletConfigFile(s.Spec.KubeletConfigFile)
		if err != nil {
			return nil, nil, s.origin.located(err)
		}
		s.Spec.KubeletConfig = text
	}
	return s, s.Warnings(), nil
}

// DisplayName is what messages call the file at a path: the path, or "<stdin>" for "-".
func DisplayName(path string) string {
	if path == stdinName {
		return stdinDisplay
	}
	return path
}

// Files are the paths of the files that the scenario was read from: its own, unless that was no file, and the
// KubeletConfiguration's.
func (s *Scenario) Files() []string {
	var files []string
	if s.origin != nil && s.origin.file != "" && s.origin.file != stdinDisplay {
		files = append(files, s.origin.file)
	}
	if s.Spec.KubeletConfigFile != "" {
		files = append(files, s.origin.resolve(s.Spec.KubeletConfigFile))
	}
	return files
}

// Decode reads a scenario from YAML or JSON; file is its name in messages. Decoding is strict: an unknown field, a field
// written twice, a value of the wrong type and a second document are errors. It opens no file: a scenario that names a
// KubeletConfiguration file needs Load, unless the file's text stands in it too, as YAML writes it. Every error is an
// *InputError.
func Decode(data []byte, file string) (*Scenario, []Warning, error) {
	root, err := parseOneDocument(data, file)
	if err != nil {
		return nil, nil, err
	}
	d := &inputDecoder{origin: newInputOrigin(file)}
	if err := d.checkHeader(root); err != nil {
		return nil, nil, d.origin.located(err)
	}
	s := New("")
	if err := d.decode(root, reflect.ValueOf(s).Elem(), ""); err != nil {
		return nil, nil, err
	}
	d.origin.reading = d.warnings
	s.origin = d.origin
	return s, s.Warnings(), nil
}

// YAML writes the scenario in full, so that Decode gives it back; the comments of the file it came from are lost.
func (s *Scenario) YAML() ([]byte, error) { return yaml.Marshal(s) }

// Clone gives a copy that shares nothing that Set changes.
func (s *Scenario) Clone() (*Scenario, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	clone, _, err := Decode(text, "")
	if err != nil {
		return nil, fmt.Errorf("scenario does not survive being written: %w", err)
	}
	clone.origin = s.origin
	return clone, nil
}

// checkHeader looks at apiVersion and kind before anything else, so that a file of another kind is told as such and
// not by its first unknown field.
func (d *inputDecoder) checkHeader(root *yaml3.Node) *InputError {
	if root.Kind != yaml3.MappingNode {
		return &InputError{Line: root.Line, File: d.origin.file, Message: "holds " + describeNode(root) + ", not a scenario",
			Accepted: acceptedFile}
	}
	for _, want := range []struct{ field, value string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		node := mappingValue(root, want.field)
		switch {
		case node == nil:
			return missingValue(want.field, "", want.value)
		case node.Value != want.value:
			e := badValue(want.field, node.Value, "is no scenario's "+want.field, want.value)
			e.File, e.Line = d.origin.file, node.Line
			return e
		}
	}
	return nil
}

func mappingValue(node *yaml3.Node, key string) *yaml3.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// readInput reads a file of the size that a person would write.
func readInput(path string, r io.Reader) ([]byte, *InputError) {
	if path != stdinName {
		f, err := os.Open(path)
		if err != nil {
			return nil, inputUnreadable(path, err)
		}
		defer f.Close()
		r = f
	}
	if r == nil {
		return nil, &InputError{File: DisplayName(path), Message: "there is no standard input to read", Accepted: "the path of a file"}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxInputSize+1))
	if err != nil {
		return nil, inputUnreadable(path, err)
	}
	if len(data) > maxInputSize {
		return nil, &InputError{File: DisplayName(path), Message: "is too large to be a scenario or a configuration", Accepted: "up to 4 MiB"}
	}
	return data, nil
}

func inputUnreadable(path string, err error) *InputError {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return &InputError{File: DisplayName(path), Value: path, Message: "cannot be read: " + err.Error()}
}

// acceptedFile is what every file holds that is read as a scenario.
const acceptedFile = "a mapping with apiVersion: " + APIVersion + " and kind: " + Kind

// parseOneDocument parses YAML that must hold one document that is not empty. Empty ones may follow it, as after a "---"
// at the end.
func parseOneDocument(data []byte, file string) (*yaml3.Node, *InputError) {
	decoder := yaml3.NewDecoder(bytes.NewReader(data))
	var document yaml3.Node
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		return nil, &InputError{File: file, Message: "is empty", Accepted: acceptedFile}
	case err != nil:
		return nil, yamlError(err, file)
	}
	for {
		var next yaml3.Node
		err := decoder.Decode(&next)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, yamlError(err, file)
		}
		if len(next.Content) == 1 && !(isNullNode(next.Content[0]) && next.Content[0].Value == "") {
			return nil, &InputError{File: file, Line: next.Line, Message: "a second document starts here", Accepted: "one document a file"}
		}
	}
	if len(document.Content) != 1 {
		return nil, &InputError{File: file, Message: "is empty", Accepted: acceptedFile}
	}
	return document.Content[0], nil
}

// yamlError gives the parser's complaint, with its line where it belongs.
func yamlError(err error, file string) *InputError {
	e := &InputError{File: file, Message: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := regexp.MustCompile(`^yaml: line (\d+): (.*)`).FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Message = "is not YAML: " + m[2]
	}
	return e
}
