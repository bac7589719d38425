package traces

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTextIsOneAlignedLine(t *testing.T) {
	renewed := lostRenewal()
	renewed.Code, renewed.Reason = 200, ""
	silent := lostRenewal()
	silent.Code, silent.Reason, silent.Detail, silent.At = 0, "", "context deadline exceeded", silent.Sent+10*time.Second
	status := Event{At: time.Second, Sent: time.Second - 4210*time.Microsecond, Actor: "kubelet/node-1", Kind: KindRequest,
		Node: "node-1", Verb: "patch", Resource: "nodes/status", Name: "node-1", Code: 500}
	list := Event{At: time.Second, Sent: time.Second, Actor: "kube-controller-manager", Kind: KindRequest, Verb: "list",
		Resource: "nodes", Code: 200}
	pod := Event{At: time.Minute, Sent: time.Minute, Actor: "kube-controller-manager", Kind: KindRequest, Node: "node-1",
		Verb: "delete", Resource: "pods", Namespace: "default", Name: "web-1", Code: 200}
	created := Event{At: 5 * time.Second, Sent: 5 * time.Second, Actor: "kubelet/node-1", Kind: KindRequest, Node: "node-1",
		Verb: "create", Resource: "nodes", Name: "node-1", Code: 201}
	fault := Event{At: 90 * time.Second, Actor: "fault", Kind: KindFault, To: "partition", Detail: "nodes node-2, for 45s"}
	healed := Event{At: 135 * time.Second, Actor: "fault", Kind: KindFault, From: "partition"}
	noise := Event{Actor: "fault", Kind: KindNote, Detail: "two\nlines and a \"quote\" \x1b[31m\xff"}

	var got []string
	for _, ev := range []Event{lostRenewal(), renewed, silent, status, list, pod, created, wentUnknown(), fault, healed, noise} {
		got = append(got, Text(&ev))
	}
	require.Equal(t, strings.TrimPrefix(`
000115.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
000115.003210s  kubelet/node-1            PUT         leases/node-1             200 OK        (+4ms)
000124.999210s  kubelet/node-1            PUT         leases/node-1             no answer     (+10s)  context deadline exceeded
000001.000000s  kubelet/node-1            PATCH       nodes/node-1/status       500           (+4.21ms)
000001.000000s  kube-controller-manager   LIST        nodes                     200 OK        (+0s)
000060.000000s  kube-controller-manager   DELETE      default/pods/web-1        200 OK        (+0s)  on node-1
000005.000000s  kubelet/node-1            POST        nodes/node-1              201 Created   (+0s)
000118.200000s  kube-controller-manager   transition  node-1                    True -> Unknown  NodeStatusUnknown  no renewal for 50s
000090.000000s  fault                     fault                                 -> partition  nodes node-2, for 45s
000135.000000s  fault                     fault                                 partition ->
000000.000000s  fault                     note                                  two\nlines and a "quote" \x1b[31m\xff
`, "\n"), strings.Join(got, "\n")+"\n")
}

func TestTextNeverBreaksItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent().Draw(t, "ev")
		ev.Detail = string(rapid.SliceOf(rapid.Byte()).Draw(t, "detail"))
		text := Text(&ev)
		require.True(t, strings.HasPrefix(text+"  ", FormatTime(ev.At)+"  "), "%q", text)
		require.False(t, strings.ContainsFunc(text, unicode.IsControl), "%q", text)
		require.Equal(t, strings.TrimRight(text, " "), text)
	})
}
