package serve

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/scenario"
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
