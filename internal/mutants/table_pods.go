package mutants

import "slices"

// podMutants are of what deletes, creates and runs pods.
func podMutants() []Mutant {
	return slices.Concat(evictionMutants(), collectionMutants(), podWorkerMutants(), workloadMutants(), schedulerMutants())
}

func evictionMutants() []Mutant {
	return slices.Concat(
		of("heartbeat/taints", nil,
			change{"a toleration of one key tolerates another", "taints.go",
				` || t.Key != "" && t.Key != taint.Key`, ``},
			change{"a toleration of one effect tolerates another", "taints.go",
				`t.Effect != "" && t.Effect != taint.Effect || `, ``},
			change{"a value does not count in a toleration", "taints.go",
				`return t.Value == taint.Value`, `return true`}),
		of("heartbeat/tainteviction", []Tests{suite},
			change{"a taint that goes calls no eviction off", "process.go",
				`		for _, pod := range pods {
			tc.cancelWork`, `		for _, pod := range pods[:0] {
			tc.cancelWork`},
			change{"a pod that tolerates for ever is evicted", "process.go",
				`if minTolerationTime < 0 {`, `if false {`},
			change{"a pod that does not tolerate a taint stays", "process.go",
				`tc.taintEvictionQueue.addWork(workArgs{pod, node, why}, now, now)`, ``},
			change{"another taint begins the time anew", "process.go",
				`	if tc.taintEvictionQueue.scheduled(pod) {
		return
	}`, `	tc.taintEvictionQueue.cancelWork(pod)`},
			change{"the longest toleration counts", "tolerations.go",
				`least = min(least, *seconds)`, `least = *seconds`},
			change{"an eviction is tried once", "deletion.go",
				`for range retries {`, `for range 1 {`},
			change{"an evicted pod is not told why", "deletion.go",
				`if tc.behaviors.DisruptionTarget != version.NoCondition {`, `if false {`},
			change{"work that was called off is done", "timedworkers.go",
				`if !w.cancelled {`, `if true {`}),
	)
}

func collectionMutants() []Mutant {
	return slices.Concat(
		of("heartbeat/podgc", []Tests{suite},
			change{"an orphan goes without the API server being asked", "orphaned.go",
				`if apierrors.IsNotFound(err) {`, `if err == nil || apierrors.IsNotFound(err) {`},
			change{"an orphan has no quarantine", "orphaned.go",
				`now.Add(gcc.behaviors.Quarantine)`, `now`},
			change{"a node that is ready again loses what is terminating", "outofservice.go",
				`if ok && !isNodeReady(node) && `, `if ok && `},
			change{"a node needs no taint to be out of service", "outofservice.go",
				` && hasTaintKey(node, corev1.TaintNodeOutOfService)`, ``},
			change{"a pod that runs is taken for an orphan's like", "controller.go",
				`if pod.DeletionTimestamp != nil && pod.Spec.NodeName == "" {`, `if pod.Spec.NodeName == "" {`},
			change{"one ended pod too many is left", "terminated.go",
				`if deleteCount <= 0 {`, `if deleteCount--; deleteCount <= 0 {`},
			change{"pods that run count as ended", "terminated.go",
				`if isPodTerminated(pod) {`, `if true {`},
			change{"the youngest ended pods go first", "outofservice.go",
				`a.CreationTimestamp.Compare(b.CreationTimestamp.Time)`, `b.CreationTimestamp.Compare(a.CreationTimestamp.Time)`},
			change{"an orphan is not called Failed", "deletion.go",
				`status.Phase = corev1.PodFailed`, ``}),
		of("heartbeat/podstatus", nil,
			change{"a status that is known is sent", "podstatus.go",
				`if !always && `, `if always && `},
			change{"a condition that stays gets a new time", "podstatus.go",
				`condition.LastTransitionTime = old.LastTransitionTime`, ``}),
	)
}

func podWorkerMutants() []Mutant {
	return of("heartbeat/podworkers", []Tests{suite},
		change{"what others wrote stays", "statusmanager.go",
			`return !isPodStatusByKubeletEqual(&pod.Status, &p.reported.status)`, `return false`},
		change{"the status manager looks every 20 s", "statusmanager.go",
			`const syncPeriod = 10 * time.Second`, `const syncPeriod = 20 * time.Second`},
		change{"conditions of others are lost", "statusmanager.go",
			`if c := &pod.Status.Conditions[i]; !byKubelet(c.Type) {
			merged`, `if c := &pod.Status.Conditions[i]; false {
			merged`},
		change{"a pod is deleted before it has ended", "statusmanager.go",
			`return p.finished`, `return true`},
		change{"the deletion takes any pod of that name", "statusmanager.go",
			`options.Preconditions = metav1.NewUIDPreconditions(string(uid))
	if err := client`, `if err := client`},
		change{"the status of one pod goes to another of its name", "statusmanager.go",
			`if pod.UID != uid {`, `if false {`},
		change{"a pod that runs is Pending", "status.go",
			`return corev1.PodRunning
	case p.container.state == containerMissing`, `return corev1.PodPending
	case p.container.state == containerMissing`},
		change{"a pod lost by a reboot is Pending", "status.go",
			`case p.container.state == containerMissing && p.known().Phase != corev1.PodRunning:`, `case p.container.state == containerMissing:`},
		change{"a transition has the time of the last one", "status.go",
			`was != nil && was.Status == c.Status {`, `was != nil {`},
		change{"a kubelet that starts anew starts its containers", "runtime.go",
			`	c := r.containers[uid]
	if c == nil {`, `	c := r.containers[uid]
	if true {`},
		change{"every container starts again", "runtime.go",
			`return c.state == containerMissing || c.exitCode != 0`, `return true`},
		change{"no container starts again", "runtime.go",
			`	return true
}

// lifetime`, `	return false
}

// lifetime`},
		change{"a grace period bounds nothing", "sync.go",
			`stop = min(stop, time.Duration(*grace)*time.Second)`, ``},
		change{"containers are listed every 3 s", "sync.go",
			`relistPeriod = time.Second`, `relistPeriod = 3 * time.Second`},
		change{"a deleted mirror pod stays deleted", "mirror.go",
			`looks := p.mirror == nil || now == nil || `, `looks := p.mirror == nil || now != nil && `},
		change{"a mirror pod that is terminating stays so", "mirror.go",
			`p.mirror != nil && p.mirror.DeletionTimestamp == nil`, `p.mirror != nil`},
		change{"a static pod is evicted", "mirror.go",
			`corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}`, `corev1.Toleration{}`},
		change{"a pod that does not change holds its timer for ever", "statusmanager.go",
			`if len(w.list) == 0 {`, `if false {`},
	)
}

func workloadMutants() []Mutant {
	return of("heartbeat/workloads", []Tests{suite},
		change{"a pod that is terminating is not replaced", "set.go",
			` && pod.DeletionTimestamp == nil
}`, `
}`},
		change{"nobody waits to see what was created", "expectations.go",
			`return e.creations <= 0 && len(e.deletions) == 0 || `, `return true || `},
		change{"a creation that failed is waited for", "replicaset.go",
			`s.expectations.creationObserved() // nobody will see it`, ``},
		change{"replicas are created all at once", "set.go",
			`for size := min(n, 1); size > 0`, `for size := n; size > 0`},
		change{"replicas that are ready go first", "replicaset.go",
			`first(!ready(a), !ready(b)),`, `first(ready(a), ready(b)),`},
		change{"the pause after a failure does not grow", "set.go",
			`min(firstRetry<<min(s.failures, 20), lastRetry)`, `firstRetry`},
		change{"a StatefulSet creates all its pods at once", "statefulset.go",
			`return false, s.create(s.workload.newPod(name))`, `return true, s.create(s.workload.newPod(name))`},
		change{"a StatefulSet waits for no predecessor", "statefulset.go",
			`return pod.Status.Phase == corev1.PodRunning && ready(pod), nil`, `return true, nil`},
		change{"a StatefulSet keeps a pod that has ended", "statefulset.go",
			`case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:`, `case false:`},
		change{"a DaemonSet leaves a node with a NoSchedule taint", "daemonset.go",
			`corev1.TaintEffectNoSchedule), !noExecute`, `corev1.TaintEffectNoSchedule), !noExecute && len(node.Spec.Taints) == 0`},
		change{"a DaemonSet runs where it is not tolerated", "daemonset.go",
			`return !noExecute && !taints.Untolerated(`, `return !noExecute || !taints.Untolerated(`},
		change{"a DaemonSet's pods do not tolerate a silent node", "daemonset.go",
			`{corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute},`, ``},
		change{"a DaemonSet forgets its pods for nodes that are gone", "daemonset.go",
			`lost = append(lost, unscheduled(s.onNodes[name])...)`, `_ = unscheduled`},
	)
}

func schedulerMutants() []Mutant {
	return of("heartbeat/scheduler", []Tests{suite},
		change{"pods go to cordoned nodes", "scheduler.go",
			`if node.Spec.Unschedulable && `, `if false && `},
		change{"pods go where they are not tolerated", "scheduler.go",
			`return !taints.Untolerated(node.Spec.Taints, pod.Spec.Tolerations, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)`, `return true`},
		change{"pods of one owner are not spread", "ledger.go",
			`l[ledgerEntry{node, owner}] += n`, ``},
		change{"a pod that is on its way is no load", "scheduler.go",
			`	s.load.add(pod, node, 1)
	s.host`, `	s.host`},
		change{"a binding that failed is tried no more", "scheduler.go",
			`		delete(s.resting, pod.UID)
		s.activate()`, `		s.activate()`},
	)
}
