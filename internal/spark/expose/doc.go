// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package expose builds the companions of an application: the Service of spec.driverService, the PodDisruptionBudget,
// and the Ingress and HTTPRoute of spec.ui. They exist while it runs.
//
//	application, status, port of the web interface ─► Build ─► objects wanted now
//
// They are separate from the objects that an attempt needs (package render): each of them may be created, changed and
// deleted while the driver runs, and none of them can keep it from running.
//
// The package is pure: no client, no clock. The same input gives the same objects.
package expose
