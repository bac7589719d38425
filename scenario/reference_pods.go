package scenario

const referencePods = "Pods that are bound to their nodes stand in `spec.pods`; those that a controller creates, and replaces, in\n" +
	"`spec.workloads`. With either run taint eviction, the pod garbage collector and what of a kubelet sees to pods; with workloads\n" +
	"a scheduler as well. A scenario without pods pays for none of it."

// referencePodRows are the fields about pods.
func referencePodRows() []referenceRow {
	return []referenceRow{
		{"spec.pods", "-", "pods that are bound to a node from when it is first registered; nothing replaces one that is deleted"},
		{"spec.pods[].name", fieldRequired, "the pods are NAME-NODE-0, ..."},
		{"spec.pods[].perNode", "1", "how many on each node, from 1 to 10000"},
		{"spec.pods[].namespace", "default", "their namespace"},
		{"spec.pods[].runFor", "for ever", "after how long they have done their work and are Succeeded (restartPolicy Never), in whole seconds"},
		{"spec.pods[].static", "false", "they are in the folder of each kubelet, one on a node, called NAME-NODE; in the API server are their mirrors"},
		{"spec.pods[].tolerationSeconds", "300", "how long they stay on a node that is not ready or not reachable, where `tolerations` do not say"},
		{"spec.pods[].tolerations", "-", "their tolerations, as a Pod has them"},
		{"spec.pods[].tolerations[].key", "any", "key of a taint, as `node.kubernetes.io/unreachable`"},
		{"spec.pods[].tolerations[].operator", "Equal", "Equal or Exists"},
		{"spec.pods[].tolerations[].value", "-", "with Equal, value of the taint"},
		{"spec.pods[].tolerations[].effect", "any", "NoSchedule, PreferNoSchedule or NoExecute"},
		{"spec.pods[].tolerations[].tolerationSeconds", "for ever", "with NoExecute, how long"},
		{"spec.pods[].terminationGracePeriodSeconds", "30", "how long they may take to end"},
		{"spec.workloads", "-", "controllers that create pods, which a scheduler then binds to nodes"},
		{"spec.workloads[].kind", fieldRequired, "Deployment (its ReplicaSet), StatefulSet or DaemonSet"},
		{"spec.workloads[].name", fieldRequired, "the pods are NAME-1, NAME-2, ... of a Deployment as they are created, NAME-0, ... of a StatefulSet, NAME-NODE of a DaemonSet"},
		{"spec.workloads[].namespace", "default", "its namespace"},
		{"spec.workloads[].replicas", "1", "how many pods, up to 10000; a DaemonSet has one on each node"},
		{"spec.workloads[].at", "0s", "when it is created"},
		{"spec.workloads[].tolerationSeconds", "300", "as for pods; a DaemonSet's tolerate nodes that fail for ever"},
		{"spec.workloads[].tolerations", "-", "as for pods"},
		{"spec.workloads[].tolerations[].key", "any", "as for pods"},
		{"spec.workloads[].tolerations[].operator", "Equal", "as for pods"},
		{"spec.workloads[].tolerations[].value", "-", "as for pods"},
		{"spec.workloads[].tolerations[].effect", "any", "as for pods"},
		{"spec.workloads[].tolerations[].tolerationSeconds", "for ever", "as for pods"},
		{"spec.workloads[].terminationGracePeriodSeconds", "30", "as for pods"},
	}
}
