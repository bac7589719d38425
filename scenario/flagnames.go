package scenario

import (
	"reflect"
	"strings"
)

// The flags of the two components in Kubernetes 1.36 that the model knows by name only: given in a scenario they are
// no mistake, and have no effect. Those that the model obeys are in the maps.

func kubeletFlagSet() flagSet {
	return flagSet{
		component: "kubelet",
		names:     strings.Fields(kubeletFlagNames),
		modelled: map[string]string{
			"node-status-update-frequency": "nodeStatusUpdateFrequency",
			"register-node":                "registerNode",
			"node-status-max-images":       "nodeStatusMaxImages",
			"kube-api-qps":                 "kubeAPIQPS",
			"kube-api-burst":               "kubeAPIBurst",
			"event-qps":                    "eventRecordQPS",
			"event-burst":                  "eventBurst",
			"rotate-certificates":          "rotateCertificates",
		},
	}
}

func controllerManagerFlagSet() flagSet {
	modelled := map[string]string{}
	for _, name := range inputFieldNames(reflect.TypeFor[ControllerManagerSpec]()) {
		modelled[name] = name
	}
	delete(modelled, "version") // the scenario's own
	return flagSet{
		component: "kube-controller-manager",
		names:     strings.Fields(controllerManagerFlagNames),
		modelled:  modelled,
	}
}

// In order, since they are searched.
const kubeletFlagNames = `
address allowed-unsafe-sysctls anonymous-auth authentication-token-webhook
authentication-token-webhook-cache-ttl authorization-mode authorization-webhook-cache-authorized-ttl
authorization-webhook-cache-unauthorized-ttl bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root
cgroups-per-qos client-ca-file cloud-provider cluster-dns cluster-domain config config-dir
container-log-max-files container-log-max-size container-runtime-endpoint contention-profiling cpu-cfs-quota
cpu-cfs-quota-period cpu-manager-policy cpu-manager-policy-options cpu-manager-reconcile-period
enable-controller-attach-detach enable-debugging-handlers enable-server enforce-node-allocatable
eviction-hard eviction-max-pod-grace-period eviction-minimum-reclaim
eviction-pressure-transition-period eviction-soft eviction-soft-grace-period exit-on-lock-contention
experimental-allocatable-ignore-eviction experimental-mounter-path fail-cgroupv1 fail-swap-on feature-gates
file-check-frequency hairpin-mode healthz-bind-address healthz-port help hostname-override http-check-frequency
image-credential-provider-bin-dir image-credential-provider-config image-gc-high-threshold
image-gc-low-threshold image-service-endpoint kernel-memcg-notification kube-api-content-type
kube-reserved kube-reserved-cgroup kubeconfig kubelet-cgroups local-storage-capacity-isolation
lock-file log-flush-frequency log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size
log-text-split-stream logging-format make-iptables-util-chains manifest-url manifest-url-header max-open-files
max-pods maximum-dead-containers maximum-dead-containers-per-container memory-manager-policy
minimum-container-ttl-duration minimum-image-ttl-duration node-ip node-labels
oom-score-adj pod-cidr pod-manifest-path pod-max-pids pods-per-core port protect-kernel-defaults provider-id
qos-reserved read-only-port register-with-taints registry-burst registry-qps reserved-cpus reserved-memory
resolv-conf root-dir rotate-server-certificates runonce runtime-cgroups
runtime-request-timeout seccomp-default serialize-image-pulls streaming-connection-idle-timeout sync-frequency
system-cgroups system-reserved system-reserved-cgroup tls-cert-file tls-cipher-suites tls-min-version
tls-private-key-file topology-manager-policy topology-manager-policy-options topology-manager-scope v version
vmodule volume-plugin-dir volume-stats-agg-period windows-priorityclass windows-service
`

const controllerManagerFlagNames = `
allocate-node-cidrs allow-metric-labels allow-metric-labels-manifest allow-untagged-cloud
attach-detach-reconcile-sync-period authentication-kubeconfig authentication-skip-lookup
authentication-token-webhook-cache-ttl authentication-tolerate-lookup-failure authorization-always-allow-paths
authorization-kubeconfig authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
bind-address cert-dir cidr-allocator-type client-ca-file cloud-config cloud-provider cluster-cidr cluster-name
cluster-signing-cert-file cluster-signing-duration cluster-signing-key-file
cluster-signing-kube-apiserver-client-cert-file cluster-signing-kube-apiserver-client-key-file
cluster-signing-kubelet-client-cert-file cluster-signing-kubelet-client-key-file
cluster-signing-kubelet-serving-cert-file cluster-signing-kubelet-serving-key-file
cluster-signing-legacy-unknown-cert-file cluster-signing-legacy-unknown-key-file concurrent-cron-job-syncs
concurrent-daemonset-syncs concurrent-deployment-syncs concurrent-device-taint-eviction-syncs
concurrent-endpoint-syncs concurrent-ephemeralvolume-syncs concurrent-gc-syncs
concurrent-horizontal-pod-autoscaler-syncs concurrent-job-syncs concurrent-namespace-syncs concurrent-rc-syncs
concurrent-replicaset-syncs concurrent-resource-quota-syncs concurrent-resourceclaim-syncs
concurrent-service-endpoint-syncs concurrent-service-syncs concurrent-serviceaccount-token-syncs
concurrent-statefulset-syncs concurrent-ttl-after-finished-syncs
concurrent-validating-admission-policy-status-syncs configure-cloud-routes contention-profiling
controller-shutdown-timeout controller-start-interval disable-attach-detach-reconcile-sync
disable-force-detach-on-timeout disable-http2-serving disabled-metrics emulated-version
emulation-forward-compatible enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner
endpoint-updates-batch-period endpointslice-updates-batch-period external-cloud-volume-plugin
flex-volume-plugin-dir help horizontal-pod-autoscaler-cpu-initialization-period
horizontal-pod-autoscaler-downscale-stabilization horizontal-pod-autoscaler-initial-readiness-delay
horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-tolerance http2-max-streams-per-connection
kube-api-content-type kubeconfig leader-elect leader-elect-lease-duration
leader-elect-renew-deadline leader-elect-resource-lock leader-elect-resource-name
leader-elect-resource-namespace leader-elect-retry-period legacy-service-account-token-clean-up-period
log-flush-frequency log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size
log-text-split-stream logging-format master max-endpoints-per-slice min-compatibility-version min-resync-period
mirroring-concurrent-service-endpoint-syncs mirroring-endpointslice-updates-batch-period
mirroring-max-endpoints-per-subset namespace-sync-period node-cidr-mask-size node-cidr-mask-size-ipv4
node-cidr-mask-size-ipv6 node-sync-period permit-address-sharing permit-port-sharing profiling
pv-recycler-increment-timeout-nfs pv-recycler-minimum-timeout-hostpath pv-recycler-minimum-timeout-nfs
pv-recycler-pod-template-filepath-hostpath pv-recycler-pod-template-filepath-nfs
pv-recycler-timeout-increment-hostpath pvclaimbinder-sync-period requestheader-allowed-names
requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
requestheader-uid-headers requestheader-username-headers resource-quota-sync-period root-ca-file
route-reconciliation-period secure-port service-account-private-key-file service-cluster-ip-range
show-hidden-metrics-for-version tls-cert-file tls-cipher-suites
tls-curve-preferences tls-min-version tls-private-key-file tls-sni-cert-key use-service-account-credentials v
version vmodule
`
