// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command localcluster runs a real single-node Kubernetes on a bare Linux
// machine: etcd, control plane, containerd, kubelet, kube-proxy and DNS as
// plain processes, without Docker and without touching the machine's own
// network.
//
// Everything of a cluster lives in four places, and whatever is in them is
// the cluster's:
//
//	network namespace NAME    all daemons; pods have their own, joined to it
//	cgroup /NAME              daemons in /NAME/daemons, pods in /NAME/kubepods
//	a mount namespace         containerd and kubelet; dies with its processes
//	state folder              data, certificates, configuration, logs
//
// No pid file is needed to find a daemon again: it is looked up in the cgroup
// by the mark in its environment (see process.go), so a killed orchestrator
// loses nothing and a recycled process number is never signalled.
//
// It uses the standard library only, so that it builds in seconds.
package main
