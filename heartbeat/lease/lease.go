// Package lease renews a node's Lease as
// k8s.io/component-helpers/apimachinery/lease does (v0.36.3).
package lease

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
)

// Namespace is where the Leases of nodes live.
const Namespace = "kube-node-lease"

const (
	// maxUpdateRetries is the number of immediate tries to update the lease.
	maxUpdateRetries = 5
	// firstBackoff is half of the first wait after a failed GET or CREATE.
	firstBackoff = 100 * time.Millisecond
	// maxBackoff caps the wait between tries to GET or CREATE.
	maxBackoff = 7 * time.Second
)

// Config says whose lease is renewed, and how often.
type Config struct {
	// Name of the Lease and its holder: the node's name.
	Name string

	// Duration is what the Lease says of itself (leaseDurationSeconds). The
	// node lifecycle controller never looks at it. Whole seconds.
	Duration time.Duration

	// RenewInterval is the time between the end of one renewal and the start
	// of the next, before jitter. The kubelet's is a quarter of Duration.
	RenewInterval time.Duration

	// Behaviors is what differs by version.
	Behaviors version.Lease

	// SetOwner adds the owner reference to a lease that has none. Its error
	// blocks the lease operation, unless the version makes light of it.
	SetOwner func(*coordinationv1.Lease) error

	// OnRepeatedFailure is called when a try but the first fails, other than
	// by a conflict. May be nil.
	OnRepeatedFailure func()
}

// Controller renews one Lease.
type Controller struct {
	host   heartbeat.Host
	leases heartbeat.LeaseClient
	tracer heartbeat.Tracer
	cfg    Config

	latest *coordinationv1.Lease
}

// New returns a controller that renews through leases, a client of the
// namespace kube-node-lease. tracer may be nil.
func New(host heartbeat.Host, leases heartbeat.LeaseClient, cfg Config, tracer heartbeat.Tracer) *Controller {
	return &Controller{host: host, leases: leases, tracer: tracer, cfg: cfg}
}

// Run starts the renewals and returns. Upstream: controller.Run, which is
// JitterUntil(sync, renewInterval, 0.04, sliding); before v1.22 mostly Until.
func (c *Controller) Run() {
	c.host.Every("lease", c.cfg.RenewInterval, c.cfg.Behaviors.JitterFactor, true, c.sync)
}

// sync renews once. Upstream: controller.sync.
func (c *Controller) sync() {
	if c.latest != nil && !c.cfg.Behaviors.GetsBeforeUpdate {
		// The lease is hardly ever written by anybody else, so the version
		// of the last renewal is tried without a GET.
		base := c.latest
		if c.cfg.Behaviors.PreparesTwice {
			base, _ = c.newLease(base) // without an owner where it has none, and none can be set
		}
		if err := c.retryUpdateLease(base); err == nil {
			return
		}
	}

	lease, created := c.backoffEnsureLease()
	c.latest = lease
	if !created && lease != nil {
		// The error is reported where it arises; the next sync tries again.
		_ = c.retryUpdateLease(lease)
	}
}

// backoffEnsureLease gets or creates the lease, waiting 200 ms, 400 ms ... 7 s
// between tries, for ever. Upstream: controller.backoffEnsureLease.
func (c *Controller) backoffEnsureLease() (lease *coordinationv1.Lease, created bool) {
	sleep := firstBackoff
	for {
		lease, created, err := c.ensureLease()
		if err == nil {
			return lease, created
		}
		sleep = min(2*sleep, maxBackoff)
		c.host.Sleep(sleep)
	}
}

// ensureLease gets the lease, or creates it where it does not exist. A lease
// whose owner cannot be set is not created: nil, false, nil, and the next
// sync tries again. Upstream: controller.ensureLease.
func (c *Controller) ensureLease() (*coordinationv1.Lease, bool, error) {
	lease, err := c.leases.Get(context.Background(), c.cfg.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh, err := c.newLease(nil)
		if err != nil && !c.cfg.Behaviors.CreatesOwnerless {
			return nil, false, nil
		}
		lease, err := c.leases.Create(context.Background(), fresh, metav1.CreateOptions{})
		if err != nil {
			return nil, false, err
		}
		return lease, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	return lease, false, nil
}

// retryUpdateLease tries to renew base up to five times, without waiting. A
// conflict costs a GET before the next try. Upstream:
// controller.retryUpdateLease.
func (c *Controller) retryUpdateLease(base *coordinationv1.Lease) error {
	for i := 0; i < maxUpdateRetries; i++ {
		renewed, err := c.newLease(base)
		if err == nil || c.cfg.Behaviors.UpdatesOwnerless {
			var lease *coordinationv1.Lease
			lease, err = c.leases.Update(context.Background(), renewed, metav1.UpdateOptions{})
			if err == nil {
				c.latest = lease
				return nil
			}
			if apierrors.IsConflict(err) && c.cfg.Behaviors.GetsAfterConflict {
				base, _ = c.backoffEnsureLease()
				continue
			}
		}
		if i > 0 && c.cfg.OnRepeatedFailure != nil {
			c.cfg.OnRepeatedFailure()
		}
	}
	err := fmt.Errorf("failed %d attempts to update lease", maxUpdateRetries)
	heartbeat.Decide(c.tracer, heartbeat.DecisionLeaseFailed, c.cfg.Name, err.Error())
	return err
}

// newLease returns base renewed, or a new lease where base is nil. Upstream:
// controller.newLease.
func (c *Controller) newLease(base *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{}
	if base == nil {
		lease.Name, lease.Namespace = c.cfg.Name, Namespace
		lease.Spec.HolderIdentity = ptr.To(c.cfg.Name)
	} else {
		base.DeepCopyInto(lease)
	}
	if base == nil || c.cfg.Behaviors.ReassertsDuration {
		lease.Spec.LeaseDurationSeconds = ptr.To(int32(c.cfg.Duration / time.Second))
	}
	lease.Spec.RenewTime = &metav1.MicroTime{Time: c.host.Now()}

	if c.cfg.SetOwner != nil {
		return lease, c.cfg.SetOwner(lease)
	}
	return lease, nil
}
