// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package unmanagedpods lets in the Spark pods of guarded namespaces that belong to no application: those of a raw
// spark-submit or a notebook.
//
//	driver pod, behind the gate ──► ask of the namespace's queue ──► grant ──► one patch: labels, placement, no gate
//	its executors, the same      ──► each asks, queued as of its driver
//	pod gone, or ended           ──► what it held goes back
//
// Nothing is stored but the pods themselves: what runs without the gate is what is charged, with the queue and the
// flavor of its labels. After a restart that is read from the pods again.
package unmanagedpods
