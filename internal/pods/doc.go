// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pods knows the Spark pods of the cluster: a compact record for each, kept by a filtered watch, and what a
// pod's state means for its attempt.
//
//	watch (label sparkgate.io/app-uid) ──► Reflector ──► Store ──► Record ──► classification
//
// A record has what decisions need and nothing else, a few hundred bytes where a Pod has thousands, because an
// application may have hundreds of executors. The package never writes to the API server.
package pods
