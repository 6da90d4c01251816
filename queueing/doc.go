// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queueing is the contract between the lifecycle of an application and whatever decides when it may start.
//
//	Ask ──► Gate.Sync ──► Verdict ──(Granted)──► Grant ──► pods ──► Gate.Release
//
// An application *asks* for a gang of pods. A *gate* answers with a verdict: undecided, waiting, granted, evicting or
// refused. A *grant* says what was given, on which nodes, and explains itself: what is charged is count × requests.
//
// The package, queueing/quota and the engine in queueing/embedded import neither the API of Sparkgate nor a Kubernetes
// client: amounts are integers, resources are names. queueing/embedded/gate connects the engine to both. Of Spark they
// know that a gang has a pod set named driver, and nothing else. Gates that talk to other systems import those systems'
// types in their own package only.
package queueing
