package fakeapi

import (
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SeatRules say how many seats requests take, by what upstream has had since
// when. The zero value is one seat for each, as up to v1.22.
type SeatRules struct {
	// Lists take a seat for each hundred objects that are read, up to 10, as from
	// v1.23 on. Without it no other rule but Writes matters.
	Lists bool

	// ListsByName are one object, as from v1.26 on, and in later patches before.
	ListsByName bool

	// Writes keep seats for a while once they are answered, by how many watch the
	// object, as from v1.24 on.
	Writes bool

	// ByLevel has the most that a request takes depend on the seats of its level, as
	// from v1.28 on, and in later patches before.
	ByLevel bool

	// InitialEvents has a watch that begins with the present state take the seats
	// of a list. Upstream: gate WatchList.
	InitialEvents bool

	// LegacyWatches has those do so too that name no version or version 0, as from
	// v1.35 on.
	LegacyWatches bool

	// FromCache has lists without a version, and pages of them, read from the watch
	// cache, as from v1.31 on.
	FromCache bool

	// BySize has lists take a seat for each 100 kB, up to 100, as from v1.34 on.
	BySize bool
}

// Seats are what a request takes of its level.
type Seats struct {
	// Initial are those while it is worked on, at least 1. Final are those while it
	// lingers, once it is answered; the most of both is held all the time.
	Initial, Final int
	// Lingers is how long.
	Lingers time.Duration
}

// ListCost is what the seats of a list depend on, or those of a watch.
type ListCost struct {
	Options metav1.ListOptions
	ByName  bool // of one metadata.name
	Watch   bool
	Objects int64 // of the resource that are stored, in all namespaces
	Size    int64 // bytes of one of these, on average; 0 for unknown
	Most    int   // seats that the level allows, 0 for any
}

const (
	objectsPerSeat = 100
	watchesPerSeat = 10
	bytesPerSeat   = 100_000

	mostSeats       = 10
	mostSeatsBySize = 100

	largestObject     = 1_500_000
	cachedListsMemory = 1_000_000

	// lingerPerSeat is how long a seat is kept for the events of a write.
	lingerPerSeat = 5 * time.Millisecond
)

// OfList is what a list takes, or a watch. Upstream: listWorkEstimator (apiserver
// v0.37, pkg/util/flowcontrol/request/list_work_estimator.go).
func (s SeatRules) OfList(c *ListCost) Seats {
	o := &c.Options
	switch {
	case !s.Lists, c.Watch && !s.lists(o), c.ByName && s.ListsByName && !s.BySize:
		return Seats{Initial: 1}
	}
	limit := mostSeats
	if s.BySize {
		limit = mostSeatsBySize
	}
	page := c.Objects
	if o.Limit > 0 {
		page = min(page, o.Limit)
	}
	cached := c.Watch || s.cached(o)
	selects := o.FieldSelector != "" || o.LabelSelector != ""
	var seats int64
	if s.BySize {
		seats = bySize(c, page, cached, selects)
	} else {
		seats = byCount(c, page, cached, selects)
	}
	return Seats{Initial: int(min(max(seats, 1), int64(s.most(c.Most, limit))))}
}

// lists reports whether a watch begins like a list.
func (s SeatRules) lists(o *metav1.ListOptions) bool {
	return s.InitialEvents && (o.SendInitialEvents != nil && *o.SendInitialEvents ||
		s.LegacyWatches && (o.ResourceVersion == "" || o.ResourceVersion == "0"))
}

// cached reports whether a list is believed to be read from the watch cache.
// Upstream: shouldListFromStorage (v0.30), ShouldDelegateListMeta (v0.37, pkg/storage/cacher/delegator).
func (s SeatRules) cached(o *metav1.ListOptions) bool {
	pages := o.Limit > 0 && o.ResourceVersion != "0"
	if !s.FromCache {
		return o.ResourceVersion != "" && o.Continue == "" && !pages && o.ResourceVersionMatch != metav1.ResourceVersionMatchExact
	}
	switch o.ResourceVersionMatch {
	case metav1.ResourceVersionMatchNotOlderThan:
		return true
	case "":
		return o.Continue == "" && (!pages || o.ResourceVersion == "")
	}
	return false
}

func byCount(c *ListCost, page int64, cached, selects bool) int64 {
	read := 2 * page
	switch {
	case cached:
		read = c.Objects
	case selects:
		read = c.Objects + page
	}
	return ceiling(read, objectsPerSeat)
}

// bySize supposes that a selection from the storage finds half of all.
func bySize(c *ListCost, page int64, cached, selects bool) int64 {
	size := c.Size
	if size <= 0 && c.Objects > 0 {
		size = largestObject
	}
	loaded := page
	switch {
	case c.ByName:
		loaded = 1
	case !cached && selects:
		loaded = max(page, c.Objects/2)
	}
	memory := loaded * size
	if cached {
		memory = min(memory, cachedListsMemory)
	}
	return ceiling(memory, bytesPerSeat)
}

// OfWrite is what a write takes that so many watches are interested in, where
// most is what the level allows, 0 for any. Upstream: mutatingWorkEstimator
// (apiserver v0.37, pkg/util/flowcontrol/request/mutating_work_estimator.go).
func (s SeatRules) OfWrite(watches, most int) Seats {
	if !s.Writes || watches < watchesPerSeat {
		return Seats{Initial: 1}
	}
	final := int(ceiling(int64(watches), watchesPerSeat))
	work := seatSeconds(final, lingerPerSeat)
	final = min(final, s.most(most, mostSeats))
	return Seats{Initial: 1, Final: final, Lingers: perSeat(work, final)}
}

func (s SeatRules) most(level, limit int) int {
	if !s.ByLevel || level == 0 {
		return limit
	}
	return min(level, limit)
}

// mostSeatsOf is what a request of a level may take that has so many seats by
// its shares. Upstream: cfgMeal.finishQueueSetReconfigsLocked.
func mostSeatsOf(nominal, handSize int) int {
	if handSize == 0 {
		return 0
	}
	return max(1, min(int(math.Ceil(float64(float64(nominal)*0.15))), nominal/handSize))
}

// most is how many seats the request holds.
func (p *place) most() int { return max(p.seats.Initial, p.seats.Final) }

// narrow has a request that is wider than its level linger on fewer seats, and
// longer.
func (p *place) narrow(seats int) {
	if p.seats.Final > seats {
		p.seats.Final, p.seats.Lingers = seats, perSeat(p.finalWork, seats)
	}
}

// seatSeconds is that work in the unit of progress. Upstream: SeatsTimesDuration.
func seatSeconds(seats int, d time.Duration) int64 {
	return divideRounded(int64(seats)*int64(d), int64(time.Second)/perSecond)
}

// perSeat is how long so many seats take for the work, rounded as upstream's
// DurationPerSeat is.
func perSeat(work int64, seats int) time.Duration {
	return time.Duration(float64(work) / float64(seats) * (float64(time.Second) / perSecond))
}

func ceiling(a, b int64) int64 { return (a + b - 1) / b }
