// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package env gives the end-to-end tests a cluster with the operator, a place of its own for each test, and the verbs of a user.
//
//	ns := env.New(t, 1)                        a namespace where at most one application runs at a time
//	ns.Apply(env.Queue(ns.Name, …))            kubectl apply
//	ns.Apply(env.Pi("pi", ns.Name))
//	ns.Reaches("pi", env.First, "Running")     waits on a watch
//
// A Namespace records every version of its applications, queues and pods from before the first apply. Tests ask that record; they never
// sleep and look. At its end every namespace checks what must hold for any application at any time (see invariants.go), and a test that
// failed prints what there is to know.
//
// The tests run on the node of the local cluster, inside its network, with KUBECONFIG set and kubectl in PATH: `make e2e` sees to it.
package env
