// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package expose builds the objects that accompany an application while it runs: the Service of spec.driverService, the
// PodDisruptionBudget, the Ingress and the HTTPRoute of spec.ui.
//
//	application, status, port of the web interface ─► Build ─► objects wanted now
//
// They are apart from what an attempt cannot do without (package render): each of them may come, change and go while
// the driver runs, and none of them can keep it from running.
//
// The package is pure: no client, no clock. The same input gives the same objects.
package expose
