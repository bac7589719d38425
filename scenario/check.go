package scenario

// CheckFault judges one more fault that is to strike now, in a scenario that is valid: its At and Name are not looked
// at, and without a For it lasts to the end of the run. The error is an *InputError whose Field begins at the fault.
func (s *Scenario) CheckFault(f Fault) error {
	v := s.validatorOfOneMore()
	if verbs := f.verbs(); len(verbs) != 1 {
		v.oneVerb("", verbs)
		return v.first()
	}
	if f.For.Duration != 0 {
		v.faultFor(&f, "for", true)
	}
	v.faultVerb(&f, f.Verb())
	return v.first()
}

// CheckExpectation judges one more expectation, of a scenario that is valid. The error is an *InputError whose Field
// begins at the expectation.
func (s *Scenario) CheckExpectation(x Expectation) error {
	v := s.validatorOfOneMore()
	for i, f := range s.Spec.Faults {
		v.faults[f.Name] = i
	}
	v.expectation(&x, "")
	return v.first()
}

// validatorOfOneMore knows the names of the nodes, and no lines: what it judges stands in no file.
func (s *Scenario) validatorOfOneMore() *scenarioValidator {
	bare := *s
	bare.origin = nil
	v := &scenarioValidator{scenario: &bare, nodes: map[string]bool{}, faults: map[string]int{}}
	for _, group := range bare.NodeNames() {
		for _, name := range group {
			v.nodes[name] = true
		}
	}
	return v
}

func (v *scenarioValidator) first() error {
	if len(v.problems) == 0 {
		return nil
	}
	return v.problems[0]
}
