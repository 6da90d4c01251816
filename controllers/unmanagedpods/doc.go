// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package unmanagedpods admits the Spark pods of guarded namespaces that belong to no application, such as those of a
// plain spark-submit or a notebook.
//
//	driver pod, gated        ──► ask of the namespace's queue ──► grant ──► one patch: labels, placement, ungated
//	its executors, the same  ──► each asks, queued as of its driver
//	pod gone, or ended       ──► what it held is released
//
// The pods themselves are the only stored state: those without the scheduling gate are charged to the queue and flavor
// in their labels. After a restart this is read from the pods again.
package unmanagedpods
