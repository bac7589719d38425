package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// controlPath is where the run is seen and steered.
const controlPath = "/holter/v1/"

// Status is the answer to a request below /holter/v1/. One that cannot be done is
// answered with a Status of Kubernetes' API, whose message is the line that says why.
type Status struct {
	Scenario          string    `json:"scenario"`
	KubernetesVersion string    `json:"kubernetesVersion"`
	Seed              uint64    `json:"seed"`
	Now               string    `json:"now"`      // virtual time since the start
	Time              time.Time `json:"time"`     // what the clocks show then
	Duration          string    `json:"duration"` // of the scenario; the run goes on after it
	Over              bool      `json:"over"`     // the run has come there
	Speed             string    `json:"speed"`
	Paused            bool      `json:"paused"`
	Nodes             int       `json:"nodes"`
	Requests          uint64    `json:"requests"` // sent so far, by whomever
	Watches           int       `json:"watches"`  // open, whoever's
}

// order is what a request for control may say in its body.
type order struct {
	Duration string `json:"duration"`
	Speed    string `json:"speed"`
}

// command is one path of control.
type command struct {
	method string
	// do is given the body. What it says is wrong is the client's fault.
	do func(s *Server, r *http.Request, body []byte) error
}

func commands() map[string]command {
	return map[string]command{
		"status": {http.MethodGet, func(*Server, *http.Request, []byte) error { return nil }},
		"pause":  {http.MethodPost, (*Server).orderPause},
		"resume": {http.MethodPost, (*Server).orderResume},
		"step":   {http.MethodPost, (*Server).orderStep},
		"speed":  {http.MethodPost, (*Server).orderSpeed},
		"fault":  {http.MethodPost, (*Server).orderFault},
	}
}

// control answers a request below controlPath.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	name := r.URL.Path[len(controlPath):]
	if name == "" {
		name = "status"
	}
	c, known := commands()[name]
	switch {
	case !known:
		problem(w, http.StatusNotFound, fmt.Errorf("%s is no path; accepted: status, pause, resume, step, speed and fault below %s", r.URL.Path, controlPath))
		return
	case r.Method != c.method:
		w.Header().Set("Allow", c.method)
		problem(w, http.StatusMethodNotAllowed, fmt.Errorf("%s of %s; accepted: %s", r.Method, r.URL.Path, c.method))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostControl))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		problem(w, http.StatusRequestEntityTooLarge, errors.New("the body is too long; accepted: up to 1 MiB"))
		return
	case err != nil:
		problem(w, http.StatusBadRequest, fmt.Errorf("the body cannot be read: %w", err))
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	switch err := c.do(s, r, body); {
	case r.Context().Err() != nil: // nobody is there to be told
		return
	case errors.Is(err, errGone):
		problem(w, http.StatusServiceUnavailable, err)
		return
	case err != nil:
		problem(w, http.StatusBadRequest, err)
		return
	}
	status, err := s.Status()
	if err != nil {
		problem(w, http.StatusServiceUnavailable, err)
		return
	}
	reply(w, http.StatusOK, status)
}

// Status says where the run is. The error is that it has ended.
func (s *Server) Status() (Status, error) {
	var out Status
	done := s.loop.do(func() {
		c, stats := s.cluster, s.cluster.Server().Stats()
		spec := &c.Scenario().Spec
		out = Status{
			Scenario: c.Scenario().Metadata.Name, KubernetesVersion: c.Effective().KubernetesVersion, Seed: spec.Seed,
			Now: traces.FormatTime(c.Now()), Time: c.Engine().Start().Add(c.Now()),
			Duration: spec.Duration.String(), Over: c.Now() >= spec.Duration.Duration,
			Speed: s.loop.pace.speed.String(), Paused: s.loop.pace.paused,
			Nodes: len(c.Nodes()), Requests: stats.Calls, Watches: stats.Watches,
		}
	})
	if !done {
		return Status{}, errGone
	}
	return out, nil
}

// Pause stops the clock.
func (s *Server) Pause() error {
	return s.steer(func(p *pace, now sim.Time) { p.paused = true })
}

// Resume lets the clock go on.
func (s *Server) Resume() error {
	return s.steer(func(p *pace, now sim.Time) { p.paused = false })
}

// SetSpeed has the clock go at another speed from now on.
func (s *Server) SetSpeed(speed Speed) error {
	return s.steer(func(p *pace, now sim.Time) { p.speed = speed })
}

// Inject lets a fault strike now.
func (s *Server) Inject(f scenario.Fault) error {
	if err := s.cluster.Scenario().CheckFault(f); err != nil {
		return err
	}
	if !s.loop.do(func() {
		s.loop.await()
		s.cluster.Inject(f)
		s.loop.answered(true) // though the clock stands, what the fault does at once is seen
		s.meddled = true
	}) {
		return errGone
	}
	return nil
}

// steer changes the pace from the present instant on.
func (s *Server) steer(change func(p *pace, now sim.Time)) error {
	if !s.loop.do(func() {
		now := s.cluster.Engine().Now()
		change(&s.loop.pace, now)
		s.loop.pace.anchor(time.Now(), now)
	}) {
		return errGone
	}
	return nil
}

func (s *Server) orderPause(*http.Request, []byte) error  { return s.Pause() }
func (s *Server) orderResume(*http.Request, []byte) error { return s.Resume() }

func (s *Server) orderSpeed(_ *http.Request, body []byte) error {
	o, err := readOrder(body)
	if err != nil {
		return err
	}
	speed, wrong, accepted := ParseSpeed(o.Speed)
	if wrong != "" {
		return fmt.Errorf("speed: %q %s; accepted: %s", o.Speed, wrong, accepted)
	}
	return s.SetSpeed(speed)
}

// orderFault takes the fault as a scenario has it. The parameter source is what
// messages call the text.
func (s *Server) orderFault(r *http.Request, body []byte) error {
	f, err := s.cluster.Scenario().DecodeFault(body, r.URL.Query().Get("source"))
	if err != nil {
		return err
	}
	return s.Inject(f)
}

func readOrder(body []byte) (order, error) {
	var o order
	if !json.Valid(body) {
		return o, fmt.Errorf("the body is not JSON: %w", json.Unmarshal(body, &o))
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&o)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return o, fmt.Errorf("the body is of type %s; accepted: a mapping, as in {\"duration\": \"30s\"} or {\"speed\": \"60x\"}", wrong.Value)
	case errors.As(err, &wrong):
		return o, fmt.Errorf("%s: is of type %s; accepted: a text in quotes, as in {\"duration\": \"30s\"} or {\"speed\": \"60x\"}", wrong.Field, wrong.Value)
	case err != nil:
		return o, fmt.Errorf("%s; accepted: duration of a step, speed of a speed", strings.TrimPrefix(err.Error(), "json: "))
	}
	return o, nil
}

// problem answers with the Status that kubectl prints the message of.
func problem(w http.ResponseWriter, code int, err error) {
	reasons := map[int]metav1.StatusReason{
		http.StatusBadRequest: metav1.StatusReasonBadRequest, http.StatusNotFound: metav1.StatusReasonNotFound,
		http.StatusMethodNotAllowed: metav1.StatusReasonMethodNotAllowed, http.StatusRequestEntityTooLarge: metav1.StatusReasonRequestEntityTooLarge,
		http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable,
	}
	refuse(w, &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: int32(code), Reason: reasons[code], Message: err.Error()}})
}

func reply(w http.ResponseWriter, code int, v any) {
	data, _ := json.MarshalIndent(v, "", "  ") // it is text and numbers
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(data, '\n'))
}
