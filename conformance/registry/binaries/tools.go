//go:build tools

// Package binaries names the programs that make conformance-apiserver builds: a
// module of its own, so that what they need does not weigh on the tests.
package binaries

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
