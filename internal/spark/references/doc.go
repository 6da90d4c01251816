// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package references finds the ConfigMaps, Secrets and claims that the pods of an attempt need in order to start. It
// does not know whether they exist.
package references
