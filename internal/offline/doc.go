// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package offline does what the operator does with an application, without a cluster: for command-line tools, tests of
// manifests, and programs that write them.
//
//	FromSubmit   a call of spark-submit  ─► SparkApplication
//	Render       SparkApplication        ─► driver pod, Service, ConfigMap, …
//	Lint         files                   ─► what the API server and the operator would refuse
//
// Everything is pure: no client, no clock, no environment, and no file but those that the caller hands in. The same
// input gives the same bytes.
package offline
