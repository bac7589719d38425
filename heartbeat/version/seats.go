package version

// Seats is how many seats of its priority level a request takes, where PriorityAndFairness is on. Without any of this it is
// one for each. Upstream: apiserver util/flowcontrol/request, and apf_controller.go.
type Seats struct {
	// Lists: a list takes one for each hundred objects, up to ten.
	Lists bool
	// ListsByName: a list of one metadata.name takes one, as a GET does.
	ListsByName bool
	// Writes: a write that ten watches or more are interested in keeps seats for some time after its answer.
	Writes bool
	// ByLevel: a request takes 15% of its level's seats at most, and no more than a hand's part of them; before, ten.
	ByLevel bool
	// LegacyWatches: a watch that begins with the present state because it names no version, or version 0, takes those of a
	// list, as one that streams its list does.
	LegacyWatches bool
	// BySize: a list takes one for each 100 kB, not for each hundred objects.
	BySize bool
	// Borrowed: levels lend those that they do not need, by what was wanted lately.
	Borrowed bool
	// ExemptCounts: where seats are lent, those are missing that exempt requests take.
	ExemptCounts bool
}

// seatRule is a change of one of them that came with a release.
func seatRule(where, without, with string, set func(*Seats)) change {
	return read("apiserver util/flowcontrol/"+where, "apiserver "+without, with, func(b *Behaviors) { set(&b.APIServer.Seats) })
}

func listsByName(without, with string, on bool) change {
	return seatRule("request/list_work_estimator.go", without, with, func(s *Seats) { s.ListsByName = on })
}

func seatsByLevel(without, with string, on bool) change {
	return seatRule("apf_controller.go finishQueueSetReconfigsLocked", without, with, func(s *Seats) { s.ByLevel = on })
}
