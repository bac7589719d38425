package version

// Lease is how a kubelet renews its Lease: pkg/kubelet/nodelease up to 1.19, component-helpers/apimachinery/lease after.
type Lease struct {
	// NodeLease is the default of the gate of that name. Without it there is no Lease, the controller looks at no Lease, the
	// heartbeat client's timeout is the status update frequency alone, and a status is sent at every turn of the status loop,
	// whether it changed or not. Upstream: pkg/features; Kubelet.Run, Kubelet.tryUpdateNodeStatus,
	// Controller.tryUpdateNodeHealth.
	NodeLease bool
	// NodeLeaseGate: the gate can be set. Upstream: pkg/features.
	NodeLeaseGate bool
	// API is the version of coordination.k8s.io that Leases are written in. Upstream: controller.leaseClient.
	API string
	// RenewInterval is how the pause between renewals follows from the settings. Upstream: NewController, NewMainKubelet.
	RenewInterval RenewInterval
	// JitterFactor spreads the renewals: each pause is longer by a draw from [0, factor) of it. Upstream: controller.Run.
	JitterFactor float64
	// GetsBeforeUpdate: each renewal begins with a GET of the Lease; after, with the last one written. Upstream:
	// controller.sync.
	GetsBeforeUpdate bool
	// GetsAfterConflict: a conflict is followed by a GET, with backoff; before, the same Lease is sent four times more.
	// Upstream: controller.retryUpdateLease.
	GetsAfterConflict bool
	// CreatesOwnerless: a Lease is created although its Node cannot be read, without an owner. Upstream:
	// controller.ensureLease.
	CreatesOwnerless bool
	// UpdatesOwnerless: a Lease without an owner is written although its Node cannot be read. With GetsAfterConflict this
	// writes a new Lease after the Node was deleted, which nobody collects. Upstream: controller.retryUpdateLease.
	UpdatesOwnerless bool
	// PreparesTwice: a renewal of the Lease last written looks for its owner twice, where it has none. Upstream:
	// controller.sync, newLease.
	PreparesTwice bool
	// ReassertsDuration: each renewal sets leaseDurationSeconds; before, a creation alone. Upstream: controller.newLease.
	ReassertsDuration bool
}

// RenewInterval is a rule for the pause between two renewals.
type RenewInterval string

// How the pause between renewals follows from the settings.
const (
	RenewEvery10s         RenewInterval = "10s"
	RenewWithStatusUpdate RenewInterval = "10s, or nodeStatusUpdateFrequency if that is less"
	RenewFourTimes        RenewInterval = "0.25 x nodeLeaseDurationSeconds"
)
