package kubelet

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// DevicePlugin is one that runs on the machine.
type DevicePlugin struct {
	// Resource is an extended resource: "example.com/gpu".
	Resource corev1.ResourceName
	// Devices is how many there are, Unhealthy how many of them cannot be used.
	Devices, Unhealthy int64
}

// endpointStopGracePeriod is how long a plugin that stopped is waited for.
// Upstream: pkg/kubelet/cm/devicemanager (v1.13 to v1.36.3).
const endpointStopGracePeriod = 5 * time.Minute

// devices is the device manager: plugins that run, and those that stopped and
// may come again. Upstream: devicemanager.ManagerImpl (v1.36.3). What it reads
// from its checkpoint at a start, plugins that are still to register, is not
// modelled: those that run are there at once, and others were never known.
type devices struct{ endpoints []endpoint }

// endpoint is a plugin as the device manager knows it.
type endpoint struct {
	DevicePlugin
	stopped  bool
	stopTime time.Time
}

// none tells whether no plugin is known, so that there is nothing to report.
func (d *devices) none() bool { return len(d.endpoints) == 0 }

// see takes notice of the plugins that run now. Those that did and do not any
// more have their devices called unhealthy. Upstream:
// ManagerImpl.genericDeviceUpdateCallback, markResourceUnhealthy.
func (d *devices) see(running []DevicePlugin, now time.Time) {
	for i := range d.endpoints {
		e := &d.endpoints[i]
		runs := slices.ContainsFunc(running, func(p DevicePlugin) bool { return p.Resource == e.Resource })
		if !runs && !e.stopped {
			e.stopped, e.stopTime, e.Unhealthy = true, now, e.Devices
		}
	}
	for _, plugin := range running {
		i := slices.IndexFunc(d.endpoints, func(e endpoint) bool { return e.Resource == plugin.Resource })
		if i < 0 {
			i = len(d.endpoints)
			d.endpoints = append(d.endpoints, endpoint{})
		}
		d.endpoints[i] = endpoint{DevicePlugin: plugin}
	}
}

// deviceCapacity is what plugins offer.
type deviceCapacity struct {
	capacity, allocatable corev1.ResourceList
	removed               []corev1.ResourceName // said once: whoever misses it never hears of it again
}

// getCapacity gives what the plugins offer, and forgets those that stopped five
// minutes ago. Upstream: ManagerImpl.GetCapacity.
func (d *devices) getCapacity(now time.Time) deviceCapacity {
	out := deviceCapacity{capacity: corev1.ResourceList{}, allocatable: corev1.ResourceList{}}
	d.endpoints = slices.DeleteFunc(d.endpoints, func(e endpoint) bool {
		if e.stopped && now.Sub(e.stopTime) > endpointStopGracePeriod {
			out.removed = append(out.removed, e.Resource)
			return true
		}
		out.capacity[e.Resource] = *resource.NewQuantity(e.Devices, resource.DecimalSI)
		out.allocatable[e.Resource] = *resource.NewQuantity(e.Devices-e.Unhealthy, resource.DecimalSI)
		return false
	})
	return out
}
