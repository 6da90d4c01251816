// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package companions reconciles the objects that accompany an attempt and that it could run without: the stable
// Service, the PodDisruptionBudget, the Ingress and the HTTPRoute. It owns all that is known of them. Of all this a
// pass of an application learns the address of the web interface and when to call again.
package companions
