package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holter-sim/holter/heartbeat/lease"
)

// What an audit policy must have for a log to be of use, before any rule that
// drops the same requests.
const (
	auditRuleForLeases = `{level: Metadata, namespaces: [` + lease.Namespace + `], verbs: [create, update, patch, delete], resources: [{group: coordination.k8s.io, resources: [leases]}]}`
	auditRuleForNodes  = `{level: RequestResponse, verbs: [create, update, patch, delete], resources: [{group: "", resources: [nodes, nodes/status]}]}`
)

// warnOfGaps says what the log has not got and the model would need. again are
// the later starts of a controller.
func (b *recordingBuilder) warnOfGaps(again []time.Time) {
	renewed, written, reports := b.countByNode()
	var silent []string
	for i, name := range b.recording.names {
		if written[i] > 0 && renewed[i] == 0 {
			silent = append(silent, name)
		}
	}
	slices.Sort(silent)
	switch {
	case b.recording.Renewals == 0:
		b.warn("no renewal of a Lease in %s is in the log: every node looks dead to the model from one grace period after its last status report; "+
			"add to the audit policy, above any rule that drops them: %s", lease.Namespace, auditRuleForLeases)
	case len(silent) > 0:
		b.warn("no renewal of the Lease of %s is in the log: to the model they look dead between their status reports; "+
			"of a cluster with several API servers, give the logs of all of them", someOf(silent))
	}
	if reports == 0 {
		b.warn("no status of a node is in the log: the model takes every node for ready; add to the audit policy: %s", auditRuleForNodes)
	}
	if b.starts.first.IsZero() {
		b.warn("no request of kube-controller-manager is in the log, so that there is nothing to compare with; " +
			"of a cluster with several API servers, give the logs of all of them")
	}
	for _, t := range again {
		b.warn("kube-controller-manager started again at %s, which gave every node a new grace period: the model's runs on",
			t.UTC().Format(time.RFC3339))
	}
}

// countByNode counts the renewals and the other writes of each node, and all
// reports of a status.
func (b *recordingBuilder) countByNode() (renewed, written []int, reports int) {
	renewed, written = make([]int, len(b.recording.names)), make([]int, len(b.recording.names))
	for i := range b.recording.Writes {
		switch w := &b.recording.Writes[i]; {
		case w.write == nil:
			renewed[w.node]++
		case w.write.kind != leaseDeleted && w.write.kind != nodeDeleted:
			written[w.node]++
			if w.write.kind == nodeStatusWritten {
				reports++
			}
		}
	}
	return renewed, written, reports
}

// someOf names the first few of a long list.
func someOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
