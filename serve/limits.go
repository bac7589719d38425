package serve

import (
	"time"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// What clients can make the server keep, and how long they may take. A client that
// goes beyond is told so, or is let go; the others do not notice.
const (
	// mostRequests is how many requests may be under way, watches aside; more are
	// 429. Upstream: --max-requests-inflight, 400.
	mostRequests = 400

	// mostWatches is how many watches may be open; more are 429.
	mostWatches = 10_000

	// smallBody is what is read of every body; of one that is longer, and of
	// mostBodies of them at a time, what is longer than wire.MaxRequestBody is not
	// read to its end.
	smallBody  = 64 << 10
	mostBodies = 32

	// mostAnswers bounds the bytes of answers that wait for their clients. One that
	// goes beyond is 429, unless it is the only one.
	mostAnswers = 256 << 20

	// mostHeader bounds the header of a request.
	mostHeader = 64 << 10

	// mostControl bounds the body of a request for control.
	mostControl = 1 << 20

	// mostInside is how many requests may be in the engine, and mostInsideBytes how
	// many bytes of bodies: also those whose clients have gone, which would otherwise
	// pile up as long as the simulated API server is stopped.
	mostInside      = mostRequests
	mostInsideBytes = mostBodies * wire.MaxRequestBody

	// mostInitial bounds the events that watches have begun with, and that nobody has
	// read yet, unless it is one watch alone that has more.
	mostInitial = 2 << 20

	// mostNames is how many kinds of clients are told apart by their User-Agent.
	mostNames = 64

	// fullFeed is from how many bytes on, that wait for a watcher to read them, no
	// more are made for it; and mostBehind how many events may come then, before its
	// watch is ended. Upstream ends the watch of one that is slow for 50 ms or more.
	fullFeed   = 16 << 10
	mostBehind = 1000

	// socketBuffer is how much the kernel keeps of what a client does not read.
	socketBuffer = 64 << 10

	headerTimeout = 10 * time.Second // for the header of a request
	bodyTimeout   = 30 * time.Second // for its body
	writeTimeout  = 10 * time.Second // for a client to take what is written at once
	answerTimeout = time.Minute      // for it to take all of an answer
	idleTimeout   = 2 * time.Minute  // between two requests of a connection
)
