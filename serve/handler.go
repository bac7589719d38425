package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache, private")
	if refused := s.access.check(r); refused != nil {
		refuse(w, refused)
		return
	}
	if !s.requests.enter(mostRequests) {
		refuse(w, tooMany("too many requests are under way"))
		return
	}
	s.under(w, r)
}

// under does a request that counts as one under way.
func (s *Server) under(w http.ResponseWriter, r *http.Request) {
	busy := true
	leave := func() {
		if busy {
			s.requests.leave()
		}
		busy = false
	}
	defer leave()
	if strings.HasPrefix(r.URL.Path, controlPath) {
		s.control(w, r)
		return
	}
	body, done, refused := s.body(w, r)
	defer done()
	if refused != nil {
		refuse(w, refused)
		return
	}
	a, err := s.exchange(r, body)
	switch {
	case errors.Is(err, errGone):
		refuse(w, apierrors.NewServiceUnavailable(err.Error()))
	case err != nil: // nobody is there to be told
	case a.feed != nil:
		done()
		leave()
		s.watch(w, r, a)
	default:
		defer s.release(a)
		s.write(w, a)
	}
}

// body reads what the client sends: as much as the API server would, and a little
// more of one that is too long, so that it is found to be so. Those that are long
// take turns. done is called when the body is needed no more, perhaps more than once.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), refused *apierrors.StatusError) {
	done = func() {}
	if r.Body == http.NoBody {
		return nil, done, nil
	}
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTimeout))
	var small bytes.Buffer
	n, err := io.CopyN(&small, r.Body, smallBody)
	if n == smallBody && err == nil {
		select {
		case s.bodies <- struct{}{}:
		case <-time.After(bodyTimeout):
			return nil, done, tooMany("too many large bodies are under way")
		case <-r.Context().Done():
			return nil, done, tooMany("the client has gone")
		}
		taken := true
		done = func() {
			if taken {
				<-s.bodies
			}
			taken = false
		}
		_, err = io.CopyN(&small, r.Body, wire.MaxRequestBody+1-smallBody)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, done, apierrors.NewBadRequest("the body of the request cannot be read: " + err.Error())
	}
	if small.Len() > wire.MaxRequestBody {
		w.Header().Set("Connection", "close") // the rest is not waited for
	} else {
		_ = conn.SetReadDeadline(time.Time{})
	}
	return small.Bytes(), done, nil
}

// watch writes the answer of a watch as it comes.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, a *answer) {
	defer s.loop.post(a.feed.close)
	if !s.watches.enter(mostWatches) {
		refuse(w, tooMany("too many watches are open"))
		return
	}
	defer s.watches.leave()
	s.head(w, a)
	if err := a.feed.copyTo(r.Context(), w); !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler) // a clean end would be the API server's
	}
}

// write gives an answer to the client.
func (s *Server) write(w http.ResponseWriter, a *answer) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout))
	switch {
	case a.failed != "":
		refuse(w, apierrors.NewInternalError(errors.New("the request has broken the simulated API server: "+a.failed)))
	case a.refused != "":
		refuse(w, tooMany(a.refused))
	case a.err != nil:
		s.lost(w, a.err)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		s.head(w, a)
		_, _ = w.Write(a.body)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

func (s *Server) head(w http.ResponseWriter, a *answer) {
	for key, values := range a.response.Header {
		w.Header()[key] = values
	}
	w.WriteHeader(a.response.StatusCode)
}

// lost is what a client sees that has no answer. One that the simulated API server
// did not let in is told so: here, there is somebody who can tell it. Where the
// connection was lost, it is lost here too.
func (s *Server) lost(w http.ResponseWriter, err error) {
	var dial *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		refuse(w, apierrors.NewServiceUnavailable("in the simulation: "+err.Error()))
	case errors.As(err, &timeout) && timeout.Timeout():
		refuse(w, apierrors.NewTimeoutError("in the simulation: "+err.Error(), 0))
	default:
		panic(http.ErrAbortHandler)
	}
}

func tooMany(why string) *apierrors.StatusError { return apierrors.NewTooManyRequests(why, 1) }

// refuse answers with a Status.
func refuse(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.ErrStatus
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	data, _ := json.Marshal(status) // it has no field that could not be
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	_, _ = w.Write(append(data, '\n'))
}
