package fakeapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

// model is a naive API server for leases and nodes: what each object is worth,
// its version and its identity.
type model struct {
	version int
	objects map[string]modelObject // by "leases/a"
}

type modelObject struct {
	version int
	uid     types.UID
	spec    string // holderIdentity of a lease, the value of a taint of a node
	status  string // phase of a node
}

// step is one random request.
type step struct {
	verb, resource, name string
	value                string // what it writes
	version              string // "", or that of a copy read earlier
	uid                  types.UID
}

var stepNames = []string{"a", "b", "c"}

// draw draws a request against what the model holds, stale copies included.
func (m *model) draw(t *rapid.T) step {
	s := step{
		verb:     rapid.SampledFrom([]string{"create", "update", "update", "status", "patch", "get", "list", "delete"}).Draw(t, "verb"),
		resource: rapid.SampledFrom([]string{"leases", "nodes"}).Draw(t, "resource"),
		name:     rapid.SampledFrom(stepNames).Draw(t, "name"),
		value:    rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(t, "value"),
	}
	if s.resource == "leases" && s.verb == "status" {
		s.verb = "update"
	}
	if s.verb == "create" || s.verb == "get" || s.verb == "list" {
		return s
	}
	obj := m.objects[s.resource+"/"+s.name]
	switch rapid.IntRange(0, 5).Draw(t, "copy") {
	case 0, 1, 2:
		if obj.version > 0 {
			s.version = strconv.Itoa(obj.version)
		}
		s.uid = obj.uid
	case 3:
		s.version = strconv.Itoa(rapid.IntRange(1, m.version).Draw(t, "stale"))
	case 4:
		s.version, s.uid = strconv.Itoa(max(1, obj.version)), "other"
	}
	return s
}

// apply does to the model what the request should do, and returns the code.
func (m *model) apply(s step, uid func() types.UID) int {
	key := s.resource + "/" + s.name
	obj, there := m.objects[key]
	put := func(next modelObject) {
		if next != obj || !there {
			m.version++
			next.version = m.version
			if !there {
				next.uid = uid()
			}
			m.objects[key] = next
		}
	}
	switch s.verb {
	case "list":
		return http.StatusOK
	case "create":
		if there {
			return http.StatusConflict
		}
		put(modelObject{spec: s.value, status: s.status()})
		return http.StatusCreated
	}
	uidWrong := s.uid != "" && s.uid != obj.uid
	stale := s.version != "" && s.version != strconv.Itoa(obj.version)
	switch {
	case !there && s.verb == "update" && s.resource == "leases":
		if s.uid != "" {
			return http.StatusConflict
		}
		put(modelObject{spec: s.value})
		return http.StatusCreated
	case !there:
		return http.StatusNotFound
	case s.verb == "get":
		return http.StatusOK
	case uidWrong && s.verb == "patch":
		if stale {
			return http.StatusConflict
		}
		return http.StatusUnprocessableEntity
	case uidWrong || stale:
		return http.StatusConflict
	case s.verb == "delete":
		delete(m.objects, key)
		m.version++
	case s.version == "" && s.verb == "update" && s.resource == "leases":
		return http.StatusUnprocessableEntity
	case s.verb == "status":
		obj2 := obj
		obj2.status = s.value
		put(obj2)
	default:
		obj2 := obj
		obj2.spec = s.value
		put(obj2)
	}
	return http.StatusOK
}

func (s step) status() string {
	if s.resource == "nodes" {
		return s.value
	}
	return ""
}

// send sends the request and returns its error.
func (s step) send(c *Client) error {
	meta := metav1.ObjectMeta{Name: s.name, ResourceVersion: s.version, UID: s.uid}
	lease := &coordinationv1.Lease{ObjectMeta: meta, Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(s.value)}}
	taint := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule, Value: s.value}
	node := &corev1.Node{ObjectMeta: meta, Spec: corev1.NodeSpec{Taints: []corev1.Taint{taint}}, Status: corev1.NodeStatus{Phase: corev1.NodePhase(s.value)}}
	deletion := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{}}
	if s.uid != "" {
		deletion.Preconditions.UID = &s.uid
	}
	if s.version != "" {
		deletion.Preconditions.ResourceVersion = &s.version
	}
	patchOf := func(spec string) []byte {
		out := `{"spec":{` + spec + `},"metadata":{"name":"` + s.name + `"`
		if s.version != "" {
			out += `,"resourceVersion":"` + s.version + `"`
		}
		if s.uid != "" {
			out += `,"uid":"` + string(s.uid) + `"`
		}
		return []byte(out + `}}`)
	}
	var err error
	switch s.verb + " " + s.resource {
	case "create leases":
		_, err = c.Leases(ns).Create(ctx, lease, metav1.CreateOptions{})
	case "update leases":
		_, err = c.Leases(ns).Update(ctx, lease, metav1.UpdateOptions{})
	case "patch leases":
		_, err = c.Leases(ns).Patch(ctx, s.name, types.MergePatchType, patchOf(`"holderIdentity":"`+s.value+`"`), metav1.PatchOptions{})
	case "get leases":
		_, err = c.Leases(ns).Get(ctx, s.name, metav1.GetOptions{})
	case "list leases":
		_, err = c.Leases(ns).List(ctx, metav1.ListOptions{})
	case "delete leases":
		err = c.Leases(ns).Delete(ctx, s.name, deletion)
	case "create nodes":
		_, err = c.Nodes().Create(ctx, node, metav1.CreateOptions{})
	case "update nodes":
		_, err = c.Nodes().Update(ctx, node, metav1.UpdateOptions{})
	case "status nodes":
		_, err = c.Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
	case "patch nodes":
		_, err = c.Nodes().Patch(ctx, s.name, types.StrategicMergePatchType, patchOf(`"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule","value":"`+s.value+`"}]`), metav1.PatchOptions{})
	case "get nodes":
		_, err = c.Nodes().Get(ctx, s.name, metav1.GetOptions{})
	case "list nodes":
		_, err = c.Nodes().List(ctx, metav1.ListOptions{})
	case "delete nodes":
		err = c.Nodes().Delete(ctx, s.name, deletion)
	}
	return err
}

// state is what the server holds, as the model would say it.
func (l *lab) state() map[string]modelObject {
	out := map[string]modelObject{}
	for _, name := range stepNames {
		if o := l.s.Lease(ns, name); o != nil {
			out["leases/"+name] = modelObject{mustAtoi(o.ResourceVersion), o.UID, ptr.Deref(o.Spec.HolderIdentity, ""), ""}
		}
		if o := l.s.Node(name); o != nil {
			out["nodes/"+name] = modelObject{mustAtoi(o.ResourceVersion), o.UID, o.Spec.Taints[0].Value, string(o.Status.Phase)}
		}
	}
	return out
}

func mustAtoi(s string) int { return must(strconv.Atoi(s)) }

func TestRandomProgramsAgreeWithANaiveServer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, Options{Latency: sim.Uniform(0, 10*time.Millisecond)})
		defer l.e.Close()
		m := &model{version: 1, objects: map[string]modelObject{}}
		l.do(func() {
			for range rapid.IntRange(1, 40).Draw(rt, "requests") {
				s := m.draw(rt)
				err := s.send(l.c)
				code := m.apply(s, func() types.UID { return l.state()[s.resource+"/"+s.name].uid })
				if s.verb == "create" && s.resource == "nodes" && err == nil {
					require.NotEmpty(rt, l.s.Node(s.name).UID)
				}
				require.Equal(rt, code, l.last().Code, "%+v: %v", s, err)
				require.Equal(rt, code >= 400, err != nil)
				require.EqualValues(rt, m.version, l.s.version, "%+v", s)
				require.Equal(rt, m.objects, l.state(), "%+v", s)
			}
		})
		l.s.CheckImmutable()
	})
}

// Clients at once, with losses: the log of answers, replayed on the naive
// server in the order the answers were decided, says the same.
func TestConcurrentClientsAreServedOneAfterTheOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newSeededLab(t, Options{Latency: sim.Uniform(0, 10*time.Millisecond)}, rapid.Uint64().Draw(rt, "seed"))
		defer l.e.Close()
		if n := rapid.IntRange(0, 5).Draw(rt, "lost"); n > 0 {
			l.s.Network().Add(Rule{LoseReply: true, Count: n})
			l.s.Network().Add(Rule{LoseRequest: true, Count: n, Match: Match{Verbs: []string{"update"}}})
		}
		for i := range rapid.IntRange(2, 4).Draw(rt, "clients") {
			h := l.e.NewHost(fmt.Sprint("h", i))
			c := l.client(ClientOptions{Host: h, Name: h.Name(), Timeout: 30 * time.Millisecond})
			blind := &model{version: 1, objects: map[string]modelObject{}}
			var steps []step
			for range rapid.IntRange(1, 15).Draw(rt, "requests") {
				steps = append(steps, blind.draw(rt))
			}
			l.start(h, func() {
				for _, s := range steps {
					_ = s.send(c)
				}
			})
		}
		l.runUntil(time.Minute)
		requireHistory(rt, l)
	})
}

// requireHistory checks what the observer saw: versions rise by one with every
// change, a list of each moment can be reached by replaying the changes.
func requireHistory(t require.TestingT, l *lab) {
	last, commits := 1, 0
	for _, c := range l.answered {
		wrote := c.Code < 300 && (c.Verb == "create" || c.Verb == "update" || c.Verb == "patch")
		if v, err := strconv.Atoi(c.ResourceVersion); wrote && err == nil && v > last {
			require.Greater(t, v, last)
			last = v
		}
		if c.Code == http.StatusConflict || c.Code == http.StatusNotFound {
			require.NotEmpty(t, c.Message)
		}
	}
	commits = len(l.changed)
	require.EqualValues(t, 1+commits, l.s.version, "one version for each change")
	require.LessOrEqual(t, last, 1+commits)
}

// Whoever lists at some time and watches from there knows, in the end, what is
// there in the end; and so does who begins with the present state, resumes
// whenever the watch ends, and lists again after a 410.
func TestAnyWatcherArrivesAtTheList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newSeededLab(t, Options{
			WatchLog:     rapid.IntRange(1, 20).Draw(rt, "log"),
			Latency:      sim.Uniform(0, 10*time.Millisecond),
			WatchLatency: sim.Uniform(0, time.Second),
		}, rapid.Uint64().Draw(rt, "seed"))
		defer l.e.Close()
		selector := rapid.SampledFrom([]string{"", "metadata.name=a", "metadata.name!=b"}).Draw(rt, "selector")
		watcher := l.e.NewHost("watcher")
		c := l.client(ClientOptions{Host: watcher, Name: "watcher"})
		known := map[string]string{}
		l.start(watcher, func() { c.follow(known, selector) })

		steps := rapid.IntRange(1, 60).Draw(rt, "requests")
		l.do(func() {
			m := &model{version: 1, objects: map[string]modelObject{}}
			for range steps {
				s := m.draw(rt)
				s.resource = "nodes"
				_ = s.send(l.c)
				m.version = int(l.s.version)
				m.objects = l.state()
				switch rapid.IntRange(0, 19).Draw(rt, "disturbance") {
				case 0:
					l.h.Sleep(3 * time.Second)
				case 1:
					remove := l.s.Network().Add(Rule{HoldWatch: true})
					l.e.After(2*time.Second, remove)
				case 2:
					l.s.Host().Kill()
					l.s.Host().Restart()
				case 3:
					watcher.Pause()
					l.e.After(time.Second, watcher.Resume)
				}
			}
			l.h.Sleep(time.Minute)
		})
		want := map[string]string{}
		l.do(func() {
			for _, node := range must(l.c.Nodes().List(ctx, metav1.ListOptions{FieldSelector: selector})).Items {
				want[node.Name] = node.ResourceVersion
			}
		})
		require.Equal(rt, want, known)
	})
}

// follow keeps known up with the nodes, as a reflector would: the state is
// taken over when the bookmark says that it is complete.
func (c *Client) follow(known map[string]string, selector string) {
	version := ""
	for {
		o := metav1.ListOptions{ResourceVersion: version, FieldSelector: selector, TimeoutSeconds: ptr.To[int64](5), AllowWatchBookmarks: true}
		into := known
		if version == "" {
			o.SendInitialEvents, o.ResourceVersionMatch = ptr.To(true), metav1.ResourceVersionMatchNotOlderThan
			into = map[string]string{}
		}
		w, err := c.Nodes().Watch(ctx, o)
		if err != nil {
			c.host.Sleep(time.Second)
			continue
		}
		for {
			ev, err := w.Next()
			if err != nil {
				if apierrors.IsResourceExpired(err) {
					version = ""
				}
				break
			}
			node := ev.Object.(*corev1.Node)
			switch ev.Type {
			case watch.Bookmark:
				if node.Annotations[metav1.InitialEventsAnnotationKey] == "true" {
					clear(known)
					maps.Copy(known, into)
					into = known
				}
				version = node.ResourceVersion
				continue
			case watch.Deleted:
				delete(into, node.Name)
			default:
				into[node.Name] = node.ResourceVersion
			}
			if version != "" {
				version = node.ResourceVersion
			}
		}
	}
}

func TestEveryVersionInTheLogCanBeResumedFrom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, Options{WatchLog: 1000})
		defer l.e.Close()
		type snapshot = map[string]string
		history := map[int]snapshot{}
		l.do(func() {
			take := func() snapshot {
				out := snapshot{}
				for _, n := range must(l.c.Nodes().List(ctx, metav1.ListOptions{})).Items {
					out[n.Name] = n.ResourceVersion
				}
				return out
			}
			m := &model{version: 1, objects: map[string]modelObject{}}
			history[1] = take()
			for range rapid.IntRange(1, 30).Draw(rt, "requests") {
				_ = m.draw(rt).send(l.c)
				m.version, m.objects = int(l.s.version), l.state()
				history[m.version] = take()
			}
			end := history[m.version]
			versions := make([]int, 0, len(history))
			for v := range history {
				versions = append(versions, v)
			}
			slices.Sort(versions)
			for _, v := range versions {
				state := history[v]
				w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: strconv.Itoa(v)}))
				l.h.Sleep(1)
				last := v
				for {
					ev, ok, err := w.TryNext()
					require.NoError(rt, err)
					if !ok {
						break
					}
					node := ev.Object.(*corev1.Node)
					require.Greater(rt, mustAtoi(node.ResourceVersion), last)
					last = mustAtoi(node.ResourceVersion)
					_, had := state[node.Name]
					require.Equal(rt, had, ev.Type != watch.Added)
					if state[node.Name] = node.ResourceVersion; ev.Type == watch.Deleted {
						delete(state, node.Name)
					}
				}
				require.Equal(rt, end, state, "from version %d", v)
				w.Stop()
			}
		})
	})
}
