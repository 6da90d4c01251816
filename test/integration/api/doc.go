// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api tests the CRDs against a real kube-apiserver: what they accept, what they refuse and in which words, and how kubectl
// shows them. No operator runs.
package api
