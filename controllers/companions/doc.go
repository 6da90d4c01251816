// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package companions reconciles the objects that accompany an attempt and that it could run without: the stable
// Service, the PodDisruptionBudget, the Ingress and the HTTPRoute. Its controller has a queue and retries of its own, so
// that an Ingress that is refused or slow to create never delays a run. All that the controller of applications learns
// is the address of the web interface.
package companions
