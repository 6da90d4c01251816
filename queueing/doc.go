// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queueing defines the contract between the lifecycle of an asker and the gate that decides when it may start.
//
//	Ask ──► Gate.Sync ──► Verdict ──(Granted)──► Grant ──► pods ──► Gate.Release
//
// An asker *asks* for a gang of pods. A *gate* answers with a verdict: undecided, waiting, granted, evicting or
// refused. A *grant* says what was granted and on which nodes. It is self-contained: what is charged is count ×
// requests.
//
// Neither this package, nor queueing/quota, nor the engine in queueing/embedded imports Sparkgate's API types or a
// Kubernetes client: amounts are integers, and resources are names. Package queueing/embedded/gate connects the engine
// to both. They know nothing about Spark, and nothing about the kinds that ask: an ask names its lead pod set and its
// elastic one. A gate that talks to another system imports the types of that system in its own package only.
package queueing
