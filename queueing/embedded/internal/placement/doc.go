// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package placement finds the flavors in which pods may be placed.
//
// What asks with the same needs have in common is their Signature. A Search finds the choices of a flavor for each of
// its pod sets, in order of preference; an Option is one of them with what it needs. The package knows flavors and
// quota, but no queues.
package placement
