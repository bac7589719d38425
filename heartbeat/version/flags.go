package version

// Flag is one behaviour with its value, for people.
type Flag struct {
	// Path is that of the field in Behaviors: "Kubelet.RuntimeUpFirst".
	Path string
	// Value is yes or no, a duration, a number or a text.
	Value string
}

// Flags lists all behaviours in the order of their declaration.
func Flags(b Behaviors) []Flag {
	var list []Flag
	for _, f := range flatten(b) {
		list = append(list, Flag{f.path, f.value})
	}
	return list
}
