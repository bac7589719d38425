package mutants

import "slices"

// What the node lifecycle controller does to pods, by taint or by itself, in which versions, and how fast its client lets
// it.

func nodePodMutants() []Mutant {
	return slices.Concat(podUpdateMutants(), podEvictionMutants(), managerSettingMutants())
}

func podUpdateMutants() []Mutant {
	return of("heartbeat/nodelifecycle", nil,
		change{"a pod that comes to a node that is not ready is left alone", "podupdates.go",
			`if pod.Spec.NodeName != "" && `, `if false && `},
		change{"every update of a pod has it looked at", "podupdates.go",
			`(old == nil || pod.Spec.NodeName != old.Spec.NodeName)`, `(old == nil || pod != old)`},
		change{"a pod that comes is marked whatever its node says", "podupdates.go",
			`return current.Status == corev1.ConditionTrue || nc.markPodsNotReady(pods) == nil`, `return nc.markPodsNotReady(pods) == nil`},
		change{"a pod that could not be marked is given up", "podupdates.go",
			`			q.addRateLimited(name)
`, ``},
		change{"retries of a pod do not slow down", "podupdates.go",
			`wait = 2 * wait; wait`, `wait`},
		change{"retries of pods have no limit together", "podupdates.go",
			`max(q.exponential(name), q.bucket(now))`, `q.exponential(name)`},
		change{"one worker marks the pods that come", "controller.go",
			`newPodUpdateQueue(host, workers, nc.processPod)`, `newPodUpdateQueue(host, 1, nc.processPod)`},
		change{"a pod that comes in 1.16 is looked at", "controller.go",
			`cfg.Behaviors.NodeLifecycle.PodUpdateWorkers; workers > 0 {`, `max(4, cfg.Behaviors.NodeLifecycle.PodUpdateWorkers); workers > 0 {`},
		change{"a PUT that failed has the node remembered as Unknown", "health.go",
			`	if condition(&node.Status, corev1.NodeReady) == nil {
		// What`, `	if true {
		// What`},
	)
}

func podEvictionMutants() []Mutant {
	return of("heartbeat/nodelifecycle", nil,
		change{"the taint manager cannot be switched off", "podeviction.go",
			`	if !b.PodEviction {
`, `	if true {
`},
		change{"the taint manager can be switched off in 1.27", "podeviction.go",
			`	if !b.PodEviction {
`, `	if false {
`},
		change{"the timeout of eviction counts from Unknown", "podeviction.go",
			`since = health.probeTimestamp`, `since = health.readyTransitionTimestamp`},
		change{"a node that is back loses its pods all the same", "podeviction.go",
			`	nc.zonePodEvictor[nc.zoneKey(node)].remove(node.Name)
`, ``},
		change{"pods that come after the eviction stay", "podeviction.go",
			`nc.nodeEvictionMap.setStatus(v.name, evicted)`, ``},
		change{"pods are evicted of every node at once", "podeviction.go",
			`	nc.zonePodEvictor[nc.zoneKey(node)].add(node.Name, node.UID)
	return nil`, `	return nc.deletePods(pods, node.Name, node.UID, "at once")`},
		change{"pods of a DaemonSet are deleted", "deletepods.go",
			` || ofDaemonSet(pod) {`, ` {`},
		change{"pods that are ending are deleted once more", "deletepods.go",
			`pod.DeletionGracePeriodSeconds != nil || `, ``},
		change{"pods are deleted without being called NodeLost", "deletepods.go",
			`lost.Status.Reason = nodeUnreachablePodReason`, ``},
		change{"a conflict over a pod's status does not keep it", "deletepods.go",
			`apierrors.IsConflict(err) {`, `apierrors.IsConflict(err) && pod == nil {`},
		change{"a pod that is gone is an error in every version", "deletepods.go",
			`apierrors.IsNotFound(err) && nc.cfg.Behaviors.NodeLifecycle.IgnoresGonePods`, `false`},
		change{"full disruption evicts pods", "zones.go",
			`nc.zoneQueues()[zone].swapLimiter(0)`, `nc.zoneNoExecuteTainter[zone].try(nil)`},
		change{"the removal of taints does not wait in 1.24", "noexecute.go",
			`(bool, error) {
	defer nc.lockEvictor()()
`, `(bool, error) {
`},
		change{"the removal of taints waits in 1.25", "podeviction.go",
			`if !nc.cfg.Behaviors.NodeLifecycle.LocksOverTaints {`, `if false {`},
		change{"pods are retried in 1.16", "monitor.go",
			` && nc.cfg.Behaviors.NodeLifecycle.RetriesPods {`, ` {`},
		change{"the transition of a pod has its time in 1.14", "pods.go",
			`		if updates {
`, `		if true {
`},
		change{"stable labels name the zone in 1.16", "zones.go",
			`if nc.cfg.Behaviors.NodeLifecycle.StableZoneLabels {`, `if true {`},
	)
}

func managerSettingMutants() []Mutant {
	mutants := of("scenario", nil,
		change{"the clients of the controller-manager have no limit", "manager.go",
			`options.Limit = managerLimit(&m.cluster.effective.ControllerManager)`, ``},
		change{"--controllers switches taint eviction off for nobody", "manager_pods.go",
			`if flags.runsTaintEviction() {`, `if true {`},
		change{"the gate TaintBasedEvictions has no effect", "effectiveeviction.go",
			`		m.TaintBasedEvictions = on
`, ``},
		change{"flags that are gone are taken", "effectiveeviction.go",
			`	case origin.field != "":
`, `	case false:
`},
	)
	for i := range mutants {
		mutants[i].By = []Tests{{Package: "./scenario", Run: "^(TestTaintManager.*|TestTaintEviction.*|TestGatesOf.*|TestFlagsThatAVersion.*|TestScenarios)$/^(a-zone-of-500|taint-eviction-controller-off)"}}
	}
	return mutants
}
