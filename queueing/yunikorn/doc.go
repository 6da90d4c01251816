// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package yunikorn implements the gate YuniKorn, which leaves everything to the scheduler YuniKorn.
//
// YuniKorn has no object with which to ask for quota; it reads labels and annotations of pods. So every ask is granted
// at once, with the labels and annotations that identify all of them as one YuniKorn application, name its queue, and
// define a task group for each pod set. When YuniKorn sees the lead pod, it creates a placeholder pod for every member
// of all groups, and lets the lead pod run once all placeholders have a node: a gang down to the nodes. Until then the
// lead pod is Pending, which counts as waiting for admission.
//
// The package must not import controllers, and needs no client.
package yunikorn
