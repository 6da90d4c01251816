// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package env gives each end-to-end test a part of a cluster with the operator, and the actions of a user.
//
//	ns := env.New(t, 1)                        a namespace where at most one application runs at a time
//	ns.Apply(env.Queue(ns.Name, …))            kubectl apply
//	ns.Apply(env.Pi("pi", ns.Name))
//	ns.Reaches("pi", env.First, "Running")     waits on a watch
//
// A Namespace records every version of its applications, queues and pods from before the first apply. Tests query that
// record; they never poll with pauses. At its end every namespace checks the invariants of all applications (see
// invariants.go), and a failed test prints everything that may help to understand the failure.
//
// The tests run on the node of the local cluster, inside its network, with KUBECONFIG set and kubectl in PATH; `make
// e2e` arranges this.
package env
