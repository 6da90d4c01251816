// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package yunikorn is the gate that leaves everything to the scheduler YuniKorn.
//
// YuniKorn has no object to ask by: it reads labels and annotations of pods. So every ask is granted at once, with the
// marks by which YuniKorn knows driver and executors as one application, in a queue, with a task group for each of the
// two. When it sees the driver it creates a placeholder pod for every member of both groups, and lets the driver run
// when all placeholders have a node: a gang that is real down to the nodes. Until then the driver is Pending, which
// counts as waiting for admission.
//
// It must not import controllers, and needs no client.
package yunikorn
