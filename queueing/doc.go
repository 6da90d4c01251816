// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queueing defines the contract between the lifecycle of an application and the gate that decides when it may
// start.
//
//	Ask ──► Gate.Sync ──► Verdict ──(Granted)──► Grant ──► pods ──► Gate.Release
//
// An application *asks* for a gang of pods. A *gate* answers with a verdict: undecided, waiting, granted, evicting or
// refused. A *grant* says what was granted and on which nodes. It is self-contained: what is charged is count ×
// requests.
//
// Neither this package, nor queueing/quota, nor the engine in queueing/embedded imports Sparkgate's API types or a
// Kubernetes client: amounts are integers, and resources are names. Package queueing/embedded/gate connects the engine
// to both. All that these packages know about Spark is that a gang has a pod set named driver. A gate that talks to
// another system imports the types of that system in its own package only.
package queueing
