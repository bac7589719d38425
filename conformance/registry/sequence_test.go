package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestOursFollowsUpstreamThroughAnySequence sends drawn requests for a few names
// to both, with versions that are fresh, stale, missing or to come. After each
// the answers must be the same, and in the end the lists, and everything that
// watches from the beginning have to tell.
func TestOursFollowsUpstreamThroughAnySequence(t *testing.T) {
	oracle, ours := startOracle(t), NewOurs()
	t.Cleanup(ours.Close)
	judge := newJudge(slices.Concat(acceptedOfOurs, lackingInOurs, lackingInSequences))
	rapid.Check(t, func(t *rapid.T) {
		theirs, err := begin(oracle)
		require.NoError(t, err)
		mine, err := begin(ours)
		require.NoError(t, err)
		c := &Case{name: "a sequence"}
		send := func(r *Request) {
			c.steps = append(c.steps, r)
			a, err := theirs.send(r)
			require.NoError(t, err)
			b, err := mine.send(r)
			require.NoError(t, err)
			found := judge.compareStep("sequence", c, len(c.steps)-1, a, b)
			if len(found) > 0 && r.watches() {
				oracle.Patiently(func() { a, err = theirs.again(r) })
				require.NoError(t, err)
				found = judge.compareStep("sequence", c, len(c.steps)-1, a, b)
			}
			for _, d := range found {
				t.Fatalf("%s\nafter\n%s", d, script(c.steps))
			}
		}
		send(get(events)) // the version that it begins with
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			send(drawRequest(t, theirs))
		}
		for _, list := range lists {
			send(get(list))
			send(get(list + "?watch=true&resourceVersion={rv 1}"))
		}
	})
	t.Log(judge.summary()[0])
}

var lists = []string{nodes, leases, pods, events}

// script prints what was sent.
func script(steps []*Request) string {
	var out strings.Builder
	for i, r := range steps {
		fmt.Fprintf(&out, "%3d %s %s %s %s\n", i+1, r.Method, r.Path, r.Header["Content-Type"], r.Body)
	}
	return out.String()
}

// drawRequest draws a request that makes sense often enough.
func drawRequest(t *rapid.T, x *exchange) *Request {
	list := rapid.SampledFrom(lists).Draw(t, "list")
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")
	path := list + "/" + name
	switch rapid.SampledFrom([]string{"create", "create", "update", "update", "status", "patch", "patch", "delete", "delete all", "get", "list", "watch"}).Draw(t, "verb") {
	case "create":
		return post(list+drawDryRun(t), drawObject(t, list, name, ""))
	case "update":
		return put(path+drawDryRun(t), drawObject(t, list, name, drawVersion(t, x)))
	case "status":
		if list == leases || list == events {
			list, path = nodes, nodes+"/"+name
		}
		return put(path+"/status", drawObject(t, list, name, drawVersion(t, x)))
	case "patch":
		return drawPatch(t, x, list, path)
	case "delete":
		return delWith(path, drawDelete(t, x))
	case "delete all":
		return del(list + "?labelSelector=k%3D" + rapid.SampledFrom([]string{"v", "w"}).Draw(t, "label"))
	case "get":
		return get(path)
	case "watch":
		return get(list + fmt.Sprintf("?watch=true&resourceVersion={rv %d}", drawStep(t, x)))
	}
	return get(list + rapid.SampledFrom([]string{"", "?labelSelector=k%3Dv", "?labelSelector=!k", "?fieldSelector=metadata.name%3Da",
		"?resourceVersion=0", "?limit=1", "?limit=1&labelSelector=k", fmt.Sprintf("?resourceVersionMatch=Exact&resourceVersion={rv %d}", drawStep(t, x))}).Draw(t, "options"))
}

// drawStep draws the number of an earlier answer that carries a version.
func drawStep(t *rapid.T, x *exchange) int {
	var known []int
	for i, a := range x.answers {
		if v, _ := dig(a.raw, "metadata", "resourceVersion").(string); v != "" {
			known = append(known, i+1)
		}
	}
	return rapid.SampledFrom(known).Draw(t, "step")
}

func drawDryRun(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", "", "?dryRun=All"}).Draw(t, "dry run")
}

// drawVersion draws a member of metadata: the version or uid of an earlier
// answer, or none, or one that nobody has.
func drawVersion(t *rapid.T, x *exchange) string {
	known := []string{"", "", `"resourceVersion":"999999999"`, `"resourceVersion":"0"`, `"uid":"nobody"`}
	for i, a := range x.answers {
		if m, _ := dig(a.raw, "metadata").(map[string]any); i > 0 && m["resourceVersion"] != nil && m["name"] != nil {
			known = append(known, fmt.Sprintf(`"resourceVersion":"{rv %d}"`, i+1), fmt.Sprintf(`"resourceVersion":"{rv %d}"`, i+1))
			if i%4 == 0 {
				known = append(known, fmt.Sprintf(`"uid":"{uid %d}"`, i+1))
			}
		}
	}
	return rapid.SampledFrom(known).Draw(t, "version")
}

// whole is a pod with all defaults that our server knows of, which it sets when
// a pod is created, and upstream when it is updated as well.
const whole = `"spec":{"nodeName":"a","restartPolicy":"Always","terminationGracePeriodSeconds":30,"containers":[{"name":"c","image":"i"}],"tolerations":[` +
	`{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},` +
	`{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}`

// drawObject draws an object, with a version among its metadata.
func drawObject(t *rapid.T, list, name, version string) string {
	meta := []string{}
	if version != "" {
		meta = append(meta, version)
	}
	if label := rapid.SampledFrom([]string{"", "v", "w"}).Draw(t, "label"); label != "" {
		meta = append(meta, `"labels":{"k":"`+label+`"}`)
	}
	if rapid.IntRange(0, 5).Draw(t, "finalizer") == 0 {
		meta = append(meta, `"finalizers":["x.io/f"]`)
	}
	members := []string{}
	if len(meta) > 0 {
		members = append(members, `"metadata":{`+strings.Join(meta, ",")+`}`)
	}
	variant := rapid.IntRange(0, 2).Draw(t, "variant")
	switch list {
	case nodes:
		return node(name, append(members, []string{`"spec":{"unschedulable":true}`,
			`"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}`, `"status":{"phase":"Running","conditions":[` + readyCondition + `]}`}[variant])...)
	case leases:
		return lease(name, append(members, fmt.Sprintf(`"spec":{"holderIdentity":"h","leaseDurationSeconds":%d}`, 40*variant))...)
	case pods:
		phase := []string{"Pending", "Running", "Failed"}[variant]
		return pod(name, append(members, whole, `"status":{"phase":"`+phase+`"}`)...)
	}
	return event(name, append(members, fmt.Sprintf(`"count":%d`, variant+1))...)
}

// drawPatch draws a merge patch or strategic patch, of the status too.
func drawPatch(t *rapid.T, x *exchange, list, path string) *Request {
	patch := mergePatch
	if rapid.Bool().Draw(t, "strategic") {
		patch = strategicPatch
	}
	meta := []string{rapid.SampledFrom([]string{`"labels":{"k":"v"}`, `"labels":{"k":null}`, `"labels":null`, `"finalizers":null`, `"annotations":{"a":"b"}`}).Draw(t, "change")}
	if version := drawVersion(t, x); version != "" {
		meta = append(meta, version)
	}
	body := []string{`"metadata":{` + strings.Join(meta, ",") + `}`}
	if list == nodes && rapid.Bool().Draw(t, "more") {
		body = append(body, `"status":{"conditions":[`+readyCondition+`]}`, `"spec":{"unschedulable":true}`)
		if rapid.Bool().Draw(t, "status") {
			path += "/status"
		}
	}
	return patch(path, "{"+strings.Join(body, ",")+"}")
}

// drawDelete draws the options of a deletion.
func drawDelete(t *rapid.T, x *exchange) string {
	options := []string{}
	if version := drawVersion(t, x); version != "" && version != `"resourceVersion":"0"` {
		options = append(options, `"preconditions":{`+version+`}`)
	}
	if grace := rapid.SampledFrom([]string{"", "", "0", "5", "60"}).Draw(t, "grace"); grace != "" {
		options = append(options, `"gracePeriodSeconds":`+grace)
	}
	return "{" + strings.Join(options, ",") + "}"
}
