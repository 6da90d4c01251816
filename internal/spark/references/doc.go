// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package references says which ConfigMaps, Secrets and claims the pods of an attempt name and cannot start without. It
// knows nothing of whether they exist.
package references
