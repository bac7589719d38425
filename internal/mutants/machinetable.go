package mutants

// What a kubelet finds on its machine, how its connection to the API server ends, and what its informers and Leases do in
// older versions.

func machineMutants() []Mutant {
	return of("heartbeat/kubelet", []Tests{suite},
		change{"memory pressure is not told", "pressure.go",
			`kl.cfg.Inputs.MemoryPressure`, `false`},
		change{"a runtime that does not answer is taken for one that does", "runtime.go",
			`if in.RuntimeDown {`, `if false {`},
		change{"a network that is not ready is forgotten", "inputs.go",
			`	kl.cfg.Inputs = in
`, `	in.NetworkNotReady = ""
	kl.cfg.Inputs = in
`},
		change{"a shutdown waits for the next status", "inputs.go",
			`	kl.host.Go("shutdown", kl.syncNodeStatus)
`, ``},
		change{"relists go on while the PLEG is stalled", "inputs.go",
			`return in.RuntimeDown || in.PLEGStalled`, `return in.RuntimeDown`},
		change{"a reboot is told with every status", "setters.go",
			`kl.rebootRecorded = true`, ``},
		change{"a node lists one image too many", "setters.go",
			`images = images[:limit:limit]`, `images = images[:limit+1]`},
		change{"images that came are not listed", "setters.go",
			`images := kl.cfg.Inputs.Images`, `images := kl.cfg.Machine.Images`},
		change{"volumes in use are told before they are known", "setters.go",
			`if !kl.cfg.Inputs.VolumesNotSynced {`, `if true {`},
		change{"a device plugin that stopped is gone at once", "devices.go",
			`endpointStopGracePeriod = 5 * time.Minute`, `endpointStopGracePeriod = 5 * time.Second`},
		change{"a device plugin that stopped has healthy devices", "devices.go",
			`e.stopTime, e.Unhealthy = true, now, e.Devices`, `e.stopTime, e.Unhealthy = true, now, 0`},
		change{"a resource whose plugin is gone keeps its capacity", "resources.go",
			`		capacity[name] = *resource.NewQuantity(0, resource.DecimalSI)
`, `		_ = name
`},
		change{"what is reserved is allocatable", "resources.go",
			`without(quantity, reserved[name])`, `without(quantity, resource.Quantity{})`},
		change{"huge pages are memory as well", "resources.go",
			`		if isHugePage(name) {
			allocatable`, `		if false && isHugePage(name) {
			allocatable`},
		change{"a machine without a device checkpoint keeps extended resources", "reconcile.go",
			`rules.ZeroesExtendedResources || kl.cfg.Machine.NoDeviceCheckpoint`, `rules.ZeroesExtendedResources`},
		change{"a kubelet writes over the addresses of its cloud", "address.go",
			`} else if len(node.Status.Addresses) == 0 {`, `} else {`},
		change{"a failed first try closes connections", "status.go",
			`if i > 0 && kl.clients.OnRepeatedHeartbeatFailure != nil {`, `if kl.clients.OnRepeatedHeartbeatFailure != nil {`},
		change{"repeated failures of a status close no connections", "status.go",
			`if i > 0 && kl.clients.OnRepeatedHeartbeatFailure != nil {`, `if false {`},
	)
}

func connectionMutants() []Mutant {
	return of("fakeapi", []Tests{suite},
		change{"a dead connection answers", "request.go",
			`	case r.conn.dead:
		r.err = nil
		r.conn.lostOn(r)
`, ``},
		change{"a dead connection takes requests", "request.go",
			`	case r.conn.dead:
		r.conn.lostOn(r)
		r.drop()
`, ``},
		change{"a dead connection delivers watch events", "stream.go",
			`if w.conn.dead {`, `if false {`},
		change{"the ping gives up after 75 s", "connection.go",
			`pingTimeout      = 15 * time.Second`, `pingTimeout      = 45 * time.Second`},
		change{"TCP gives up after two minutes", "connection.go",
			`tcpGivesUp = 924600 * time.Millisecond`, `tcpGivesUp = 120 * time.Second`},
		change{"closing connections leaves requests under way", "connection.go",
			`		if !r.settled {
			r.hungUp`, `		if !r.settled && err != errClosed {
			r.hungUp`},
		change{"who hung up is told that it was too late", "request.go",
			`		if r.hungUp {`, `		if false {`},
		change{"who dials beside one that got through dials on", "connection.go",
			`if r.dialing && !r.settled && !r.served {`, `if false {`},
		change{"a connection that is being dialed is closed", "connection.go",
			`n != nil && n.established {`, `n != nil {`},
		change{"clients of one transport have a connection each", "client.go",
			`		c.transport = o.Share.transport
`, ``},
		change{"a client may send twice its burst", "throttle.go",
			`slack: time.Duration(burst-1) * interval`, `slack: time.Duration(2*burst-1) * interval`},
		change{"watches are throttled", "throttle.go",
			`	if r.op == opWatch {
		return
	}
`, ``},
		change{"a server without bookmarks sends them", "stream.go",
			`o.AllowWatchBookmarks && !w.client.s.noBookmarks`, `o.AllowWatchBookmarks`},
		change{"an old server taints new nodes", "admission.go",
			`if !s.untaintedNodes {`, `if true {`},
	)
}

func machineFaultMutants() []Mutant {
	return of("scenario", nil,
		change{"pulled images are never collected", "fault_pull_images.go",
			`p.Names[0] == image.Names[0]`, `false`},
		change{"pulled images are listed as they came", "fault_pull_images.go",
			`cmp.Compare(b.SizeBytes, a.SizeBytes)`, `cmp.Compare(0, 0)`},
		change{"a machine that boots is still shutting down", "machine.go",
			`n.ailments.inputs.ShuttingDown = false`, ``},
		change{"a machine that boots has the boot ID of before", "machine.go",
			`n.machine.NodeInfo.BootID = bootID(n.boots)`, ``},
		change{"what a fault holds is let go with the first that ends", "machine.go",
			`set(&in, *count > 0)`, `set(&in, *count > 1)`},
		change{"connections are closed in every version", "node.go",
			`if connections != version.AllConnections {`, `if connections == version.NoConnections && false {`},
		change{"rotation of certificates is of no account", "node.go",
			`if n.cluster.effective.Kubelet.RotateCertificates {`, `if false {`},
		change{"heartbeats are limited like other requests", "node.go",
			`options.Limit, options.Timeout = nil, n.heartbeatTimeout()`, `options.Limit, options.Timeout = &fakeapi.Limit{QPS: 0.01, Burst: 1}, n.heartbeatTimeout()`},
		change{"the kubelet's clients have a connection each", "node.go",
			`options.Share = n.kube`, ``},
		change{"a gate that is locked can be set", "effectivekubelet.go",
			`if !lease.NodeLeaseGate && *value != lease.NodeLease {`, `if false {`},
	)
}

func oldInformerMutants() []Mutant {
	return of("heartbeat/informer", []Tests{suite},
		change{"a refused connection has always kept the place", "reflector.go",
			`return rules.RefusedConnection != version.PauseAndList`, `return true`},
		change{"a refused connection never had a backoff of its own", "reflector.go",
			`return i.connect.next()`, `return i.backoff.next()`},
		change{"a refused connection was always asked again by the backoff", "reflector.go",
			`	case version.PauseOf1s:
		return fixedBackoff
`, ``},
		change{"a busy server has always kept the place", "reflector.go",
			`return apierrors.IsTooManyRequests(err) && rules.BusyKeepsPlace`, `return apierrors.IsTooManyRequests(err)`},
		change{"a busy stream has always kept the place", "reflector.go",
			`case apierrors.IsTooManyRequests(err) && i.cfg.Behaviors.BusyKeepsPlace:`, `case apierrors.IsTooManyRequests(err):`},
		change{"lists have always asked for the version", "reflector.go",
			`	case !i.cfg.Behaviors.RelistsAtVersion:
		return "0"
`, ``},
		change{"watches have always asked for bookmarks", "reflector.go",
			`AllowWatchBookmarks: i.cfg.Behaviors.Bookmarks,`, `AllowWatchBookmarks: true,`},
		change{"what is gone was always told first", "informer.go",
			`	if i.cfg.Behaviors.DeletesFirst {`, `	if true {`},
		change{"the backoff was always reset from its first wait", "backoff.go",
			`if !b.fromFirst {`, `if false {`},
	)
}

func oldLeaseMutants() []Mutant {
	return of("heartbeat/lease", []Tests{suite},
		change{"a renewal was never prepared twice", "lease.go",
			`if c.cfg.Behaviors.PreparesTwice {`, `if false {`},
	)
}
