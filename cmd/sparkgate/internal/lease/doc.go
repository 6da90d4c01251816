// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lease has the lock of the lease with which a process becomes the leader of its installation, and finds other
// installations that cover the same namespaces or queues.
package lease
