package fakeapi

import (
	"slices"
	"strings"
)

// The flow schemas that say which priority level a request is of, and to which
// flow in it. Upstream: the mandatory and suggested FlowSchemas (apiserver v0.36,
// pkg/apis/flowcontrol/bootstrap/default.go). Those for liveness probes and for
// the endpoints and configmaps of old leader elections are left out, since the
// server has none of these.

// flowSchema is one: requests of its subjects that a rule matches.
type flowSchema struct {
	name, level string

	users, groups []string // one entry of either must match
	// kubeSystem is every service account of namespace kube-system.
	kubeSystem bool

	rules []flowRule // none: everything
	flow  distinguisher
}

// flowRule matches requests by verb and resource, an empty list being any.
type flowRule struct {
	verbs     []string
	group     string
	resources []string // "nodes/status" for a subresource
	// namespacedOnly leaves out what is about no namespace, or about all.
	namespacedOnly bool
}

// distinguisher is what tells the flows of a schema apart.
type distinguisher uint8

const (
	oneFlow distinguisher = iota
	byUser
	byNamespace
)

// Users and groups with a meaning. Upstream: apiserver pkg/authentication/user.
const (
	groupMasters         = "system:masters"
	groupNodes           = "system:nodes"
	groupAuthenticated   = "system:authenticated"
	groupServiceAccounts = "system:serviceaccounts"

	userControllerManager = "system:kube-controller-manager"
	userScheduler         = "system:kube-scheduler"

	serviceAccountPrefix = "system:serviceaccount:"
)

// flowSchemas are in the order of their precedence.
func flowSchemas(nodeHigh bool) []flowSchema {
	schemas := []flowSchema{
		{name: "exempt", level: levelExempt, groups: []string{groupMasters}},
		{name: "system-leader-election", level: levelLeaderElection, flow: byUser,
			users: []string{userControllerManager, userScheduler}, kubeSystem: true,
			rules: []flowRule{{verbs: []string{"get", "create", "update"}, group: "coordination.k8s.io", resources: []string{"leases"}, namespacedOnly: true}}},
		{name: "system-node-high", level: levelNodeHigh, flow: byUser, groups: []string{groupNodes}, rules: []flowRule{
			{resources: []string{"nodes", "nodes/status"}},
			{group: "coordination.k8s.io", resources: []string{"leases"}, namespacedOnly: true},
		}},
		{name: "system-nodes", level: levelSystem, flow: byUser, groups: []string{groupNodes}},
		{name: "kube-controller-manager", level: levelWorkloadHigh, flow: byNamespace, users: []string{userControllerManager}},
		{name: "kube-scheduler", level: levelWorkloadHigh, flow: byNamespace, users: []string{userScheduler}},
		{name: "kube-system-service-accounts", level: levelWorkloadHigh, flow: byNamespace, kubeSystem: true},
		{name: "service-accounts", level: levelWorkloadLow, flow: byUser, groups: []string{groupServiceAccounts}},
		{name: "global-default", level: levelGlobalDefault, flow: byUser},
	}
	if nodeHigh {
		return schemas
	}
	return slices.DeleteFunc(schemas, func(f flowSchema) bool { return f.level == levelNodeHigh })
}

// matches reports whether the schema is for the request. Upstream:
// matchesFlowSchema (apiserver v0.36, pkg/util/flowcontrol/rule.go).
func (f *flowSchema) matches(r *request) bool {
	if !f.matchesSubject(r.client.user) {
		return false
	}
	if len(f.rules) == 0 {
		return true
	}
	return r.path == "" && slices.ContainsFunc(f.rules, func(rule flowRule) bool {
		return oneOf(rule.verbs, r.call.Verb) && rule.group == r.call.Group && oneOf(rule.resources, r.resource) &&
			(!rule.namespacedOnly || r.call.Namespace != "")
	})
}

func (f *flowSchema) matchesSubject(user string) bool {
	if len(f.users)+len(f.groups) == 0 && !f.kubeSystem || slices.Contains(f.users, user) {
		return true
	}
	if f.kubeSystem && strings.HasPrefix(user, serviceAccountPrefix+"kube-system:") {
		return true
	}
	return slices.ContainsFunc(groupsOf(user), func(g string) bool { return slices.Contains(f.groups, g) })
}

// flowOf is the flow that the request belongs to. Upstream: computeFlowDistinguisher.
func (f *flowSchema) flowOf(r *request) string {
	switch f.flow {
	case byUser:
		return r.client.user
	case byNamespace:
		return r.call.Namespace
	}
	return ""
}

// groupsOf are the groups that a user is in, by its name: nodes, service
// accounts, and the administrator, who may do everything as with the credentials
// that a cluster is set up with.
func groupsOf(user string) []string {
	groups := []string{groupAuthenticated}
	if strings.HasPrefix(user, nodeUser) {
		groups = append(groups, groupNodes)
	}
	if namespace, _, ok := strings.Cut(strings.TrimPrefix(user, serviceAccountPrefix), ":"); ok && strings.HasPrefix(user, serviceAccountPrefix) {
		groups = append(groups, groupServiceAccounts, groupServiceAccounts+":"+namespace)
	}
	if user == "admin" {
		groups = append(groups, groupMasters)
	}
	return groups
}
