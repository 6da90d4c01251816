// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pods keeps a compact record of each Spark pod in the cluster, filled by a watch, and derives from these
// records how attempts proceed and end.
//
//	watch (label sparkgate.io/app-uid) ──► Reflector ──► Cache ──► Store (by application) ──► Record ──► classification
//
// A record has only what decisions need. It takes a few hundred bytes, where a Pod takes thousands, because an
// application may have hundreds of executors. Unmanaged pods are in a Cache of their own for each namespace. The package
// never writes to the API server.
package pods
