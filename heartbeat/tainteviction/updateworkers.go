package tainteviction

import (
	"hash/fnv"

	"github.com/holter-sim/holter/heartbeat"
)

// podUpdateItem is a pod that changed, and the node that it was on then.
type podUpdateItem struct{ name, namespace, node string }

// updateWorkers hand each change to the worker that its node's name is hashed
// to, so that nothing about one node happens side by side. A worker takes nodes
// before pods. Upstream: nodeUpdateQueue, podUpdateQueue and Controller.worker.
type updateWorkers struct {
	host       heartbeat.Host
	handleNode func(name string)
	handlePod  func(item podUpdateItem)
	started    bool
	workers    [updateWorkerSize]updateWorker
}

type updateWorker struct {
	nodes   []string
	pods    []podUpdateItem
	waiting map[any]bool // what is in nodes and pods, once
	running bool
}

func newUpdateWorkers(host heartbeat.Host, handleNode func(string), handlePod func(podUpdateItem)) *updateWorkers {
	u := &updateWorkers{host: host, handleNode: handleNode, handlePod: handlePod}
	for i := range u.workers {
		u.workers[i].waiting = map[any]bool{}
	}
	return u
}

// start lets the workers begin with what was added so far.
func (u *updateWorkers) start() {
	u.started = true
	for i := range u.workers {
		u.wake(&u.workers[i])
	}
}

func (u *updateWorkers) addNode(name string) {
	w := &u.workers[workerOf(name)]
	if !w.waiting[name] {
		w.waiting[name] = true
		w.nodes = append(w.nodes, name)
		u.wake(w)
	}
}

func (u *updateWorkers) addPod(item podUpdateItem) {
	w := &u.workers[workerOf(item.node)]
	if !w.waiting[item] {
		w.waiting[item] = true
		w.pods = append(w.pods, item)
		u.wake(w)
	}
}

// wake has a worker with something to do run; one with nothing to do ends.
func (u *updateWorkers) wake(w *updateWorker) {
	if u.started && !w.running && len(w.nodes)+len(w.pods) > 0 {
		w.running = true
		u.host.Go("noexec-taint", func() { u.work(w) })
	}
}

func (u *updateWorkers) work(w *updateWorker) {
	defer func() { w.running = false }()
	for {
		switch {
		case len(w.nodes) > 0:
			name := w.nodes[0]
			w.nodes = w.nodes[1:]
			delete(w.waiting, name)
			u.handleNode(name)
		case len(w.pods) > 0:
			item := w.pods[0]
			w.pods = w.pods[1:]
			delete(w.waiting, item)
			u.handlePod(item)
		default:
			w.nodes, w.pods = nil, nil
			return
		}
	}
}

// workerOf is the worker of a node. Upstream: hash.
func workerOf(node string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(node)) // a hash never fails
	return int(h.Sum32() % updateWorkerSize)
}
