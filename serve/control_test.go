package serve

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
)

func TestAStepGoesOnBySoMuchAndStands(t *testing.T) {
	l := newLab(t, 0.001)
	s := l.control("pause", "")
	require.True(t, s.Paused)
	before := l.now()
	s = l.control("step", `{"duration": "90s"}`)
	require.True(t, s.Paused)
	require.Equal(t, before+90*time.Second, l.now())
	require.Equal(t, before+90*time.Second, l.now())
	s = l.control("step", `{"duration": "1ns"}`)
	require.Equal(t, before+90*time.Second+1, l.now())
	require.False(t, s.Over)
	s = l.control("step", `{"duration": "2h"}`)
	require.True(t, s.Over)
	require.Equal(t, "node-death", s.Scenario)
	require.Equal(t, "0.001x", s.Speed)
	require.Equal(t, 3, s.Nodes)
}

// under returns how many steps are under way, and where the clock is then.
func (l *lab) under() (steps int, now sim.Time) {
	l.Do(func(c *scenario.Cluster) { steps, now = len(l.loop.steps), c.Engine().Now() })
	return steps, now
}

func TestAStepEndsWhenItsClientGoes(t *testing.T) {
	l := newLab(t, 1)
	conn, err := net.Dial("tcp", l.Address().String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "POST /holter/v1/step HTTP/1.1\r\nHost: localhost\r\nContent-Length: 21\r\n\r\n{\"duration\": \"8760h\"}")
	require.NoError(t, err)
	l.until("the step is under way", func() bool { steps, _ := l.under(); return steps == 1 })
	require.NoError(t, conn.Close())
	l.until("it is no more", func() bool { steps, _ := l.under(); return steps == 0 && l.requests.n.Load() == 0 })
	before := l.now()
	require.Equal(t, before, l.now(), "the clock stands")
	require.Less(t, before, longestStep)
	require.True(t, l.control("step", `{"duration": "1s"}`).Paused)
	require.Equal(t, before+time.Second, l.now())
}

func TestOneOfTwoStepsMayBeLeft(t *testing.T) {
	for _, left := range []int{0, 1} {
		l := newLab(t, 1)
		l.Do(func(c *scenario.Cluster) { // no event falls between
			steps := []*step{{done: make(chan struct{})}, {done: make(chan struct{})}}
			l.loop.pace.paused = true
			from := c.Engine().Now()
			require.NoError(t, l.loop.begin(steps[0], time.Hour))
			require.NoError(t, l.loop.begin(steps[1], time.Minute))
			l.loop.leave(steps[left])
			l.loop.leave(steps[left])
			require.Equal(t, steps[1-left].until, l.loop.pace.step)
			require.Equal(t, from+sim.Time([]time.Duration{time.Hour + time.Minute, time.Hour}[left]), l.loop.pace.step)
		})
	}
}

func TestTheClockStandsWhereTheLastStepWasLeft(t *testing.T) {
	st := &step{until: sim.Time(time.Hour), done: make(chan struct{})}
	l := &loop{steps: []*step{st}, pace: pace{speed: 1, step: st.until}} // Resume has come in between
	l.leave(st)
	require.True(t, l.pace.paused)
	require.Zero(t, l.pace.step)
	now := sim.Time(time.Minute)
	require.Equal(t, now, l.pace.target(time.Now(), now))
}

func TestStepsLeadNoFartherThanTheClockGoes(t *testing.T) {
	l := newLab(t, 1)
	l.Do(func(c *scenario.Cluster) {
		l.loop.pace.paused = true
		for range 99 {
			require.NoError(t, l.loop.begin(&step{done: make(chan struct{})}, longestStep))
		}
		rest := farthest - l.loop.pace.step.Duration()
		require.EqualError(t, l.loop.begin(&step{}, rest+1), "duration: "+(rest+1).String()+" leads too far; accepted: up to "+rest.String()+" here, as the run ends at 876000h")
		require.NoError(t, l.loop.begin(&step{done: make(chan struct{})}, rest))
		require.ErrorContains(t, l.loop.begin(&step{}, 1), "up to 0s here")
		for len(l.loop.steps) > 0 {
			l.loop.leave(l.loop.steps[0])
		}
		require.Zero(t, l.loop.pace.step)
	})
}

func TestARunGoesOnAtTheSpeedThatItIsGiven(t *testing.T) {
	l := newLab(t, 0.001)
	require.Equal(t, "100000x", l.control("speed", `{"speed": "100000x"}`).Speed)
	l.until("an hour has gone by", func() bool { return l.now() > time.Hour })
	l.control("pause", "")
	at := l.now()
	require.Equal(t, at, l.now())
	require.False(t, l.control("resume", "").Paused)
	l.until("an hour more has gone by", func() bool { return l.now() > at+time.Hour })
}

func TestAFaultStrikesWhileTheRunGoesOn(t *testing.T) {
	l := newLab(t, Max)
	l.until("the scenario is over", func() bool { return l.state().Over })
	l.control("fault", "name: mine\npartition: {nodes: [node-0]}\nfor: 90s")
	l.control("fault", `{"kill": {"node": "node-2"}}`)
	l.control("step", `{"duration": "2m"}`)
	unknown := map[string]int{}
	for _, x := range l.end().Transitions {
		if x.Type == "Ready" && x.To == "Unknown" {
			unknown[x.Node]++
		}
	}
	require.Equal(t, map[string]int{"node-0": 1, "node-1": 1, "node-2": 1}, unknown)
	require.True(t, l.Meddled())
}

func TestControlThatIsWrongIsOneLineThatSaysSo(t *testing.T) {
	l := newLab(t, 1)
	for _, c := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"POST", "step", ``, 400, "the body is not JSON"},
		{"POST", "step", `{"duration": 30}`, 400, `duration: is of type number; accepted: a text in quotes`},
		{"POST", "step", `{"dur": "30s"}`, 400, `; accepted: duration of a step`},
		{"POST", "speed", `["60x"]`, 400, `the body is of type array; accepted: a mapping`},
		{"POST", "step", `{}`, 400, `duration: \"\" is no duration; accepted: `},
		{"POST", "step", `{"duration": "-3s"}`, 400, `duration: \"-3s\" is out of bounds; accepted: `},
		{"POST", "step", `{"duration": "9999h"}`, 400, `is out of bounds`},
		{"POST", "speed", `{"speed": "fast"}`, 400, `speed: \"fast\" is no speed; accepted: max, or a number`},
		{"POST", "fault", `kil: {node: node-1}`, 400, `unknown field \"kil\", did you mean kill?`},
		{"POST", "fault?source=f.yaml", "kill:\n  node: node-7", 400, `f.yaml:2: kill.node: \"node-7\" `},
		{"POST", "fault", "{at: 3s, kill: {node: node-1}}", 400, "at: has no place here"},
		{"POST", "fault", strings.Repeat("#", mostControl+1), 413, "the body is too long; accepted: up to 1 MiB"},
		{"GET", "pause", ``, 405, "GET of /holter/v1/pause; accepted: POST"},
		{"POST", "status", ``, 405, "POST of /holter/v1/status; accepted: GET"},
		{"POST", "paus", ``, 404, "/holter/v1/paus is no path; accepted: status, pause,"},
	} {
		g := l.ask(c.method, controlPath+c.path, c.body)
		require.Equal(t, c.code, g.code, "%s %s: %s", c.method, c.path, g.body)
		require.Contains(t, g.body, c.says)
		require.Equal(t, "application/json", g.header.Get("Content-Type"))
	}
	require.Equal(t, http.StatusOK, l.ask("GET", "/holter/v1/", "").code)
	require.Empty(t, l.end().Transitions, "nothing of it has had an effect")
	require.False(t, l.Meddled())
}

func TestARunThatHasEndedSaysSo(t *testing.T) {
	l := newLab(t, 1)
	l.end()
	require.ErrorIs(t, l.Pause(), errGone)
	require.ErrorIs(t, l.Step(time.Second), errGone)
	require.ErrorIs(t, l.Inject(scenario.Fault{Kill: &scenario.NodeFault{Node: "node-0"}}), errGone)
	_, err := l.Status()
	require.ErrorIs(t, err, errGone)
}
