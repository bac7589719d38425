package mutants

// seatMutants are of the seats that requests take, and that levels lend.
func seatMutants() []Mutant {
	return of("fakeapi", nil,
		change{"a list takes a seat for each two hundred objects", "flowcontrol_seats.go",
			`objectsPerSeat = 100`, `objectsPerSeat = 200`},
		change{"a list takes as many seats as it likes", "flowcontrol_seats.go",
			`int(min(max(seats, 1), int64(s.most(c.Most, limit))))`, `int(max(seats, 1)) + 0*limit`},
		change{"a selection from the storage reads what it finds twice", "flowcontrol_seats.go",
			`		read = c.Objects + page`, `		read = 2 * page`},
		change{"a write lingers twice as long", "flowcontrol_seats.go",
			`lingerPerSeat = 5 * time.Millisecond`, `lingerPerSeat = 10 * time.Millisecond`},
		change{"a level lends all it has", "flowcontrol_lender.go",
			`	return l.nominal - int(`, `	return 0 * int(`},
		change{"a level is lent nothing", "flowcontrol_lender.go",
			`most: float64(l.nominal + b.total)`, `most: float64(l.nominal)`},
		change{"seats move once in a minute", "flowcontrol_lender.go",
			`const lendingPeriod = 10 * time.Second`, `const lendingPeriod = time.Minute`},
		change{"what was wanted is forgotten with its period", "flowcontrol_demand.go",
			`const smoothing = 0.977`, `const smoothing = 0.0`},
		change{"a wide request goes when one seat is free", "flowcontrol_queues.go",
			`	if !l.accommodates(p.most()) {
		return nil
	}
	l.robin = at`, `	if l.inUse >= l.seats && !l.exempt() {
		return nil
	}
	l.robin = at`},
		change{"what lingers gives its seats back at once", "flowcontrol_queues.go",
			`	l.executing--
	p.queue.executing--
`, `	l.executing--
	p.queue.executing--
	l.inUse -= p.seats.Final
`},
	)
}
