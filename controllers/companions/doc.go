// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package companions reconciles the objects that accompany an attempt but that it can run without: the stable Service,
// the PodDisruptionBudget, the Ingress and the HTTPRoute. Its controller has its own queue and retries, so an Ingress
// that is refused or slow to create never delays a run. The application controller gets nothing from it except the
// address of the web interface.
package companions
