// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kueue implements the gate Kueue, which leaves the decision to Kueue.
//
//	Ask ──► Workload ──(Kueue: quota, admission checks)──► Admitted ──► Grant
//	              ◄──(Evicted)── Kueue          Release ──► requeued, held, finished or deleted
//
// Each wait in the queue has one Workload (kueue.x-k8s.io/v1beta2), owned by the asker and named after the attempt that
// asked first. Attempts after a preemption or a requeue reuse it, so that it keeps its age; after a failure there is a
// new one. Its labels name the attempt that it currently represents.
//
// All state is in the Workload and in the grant that the asker stores, and a restarted gate reads both. Kueue's kinds
// may be missing, and may be installed or removed while the operator runs.
//
// The rules for an integration are Kueue's own. The integration that requested quota releases it once no pod is active
// (conditions QuotaReserved and Admitted). It must write PodsReady, or Kueue reclaims quota after its timeout. A
// finished Workload must have the condition Finished before its finalizer is removed.
//
// A Gate is composed of parts, each of which says in its fields what it may use:
//
//	requester  makes the Workload of an ask equal to it, and says where it stands
//	holder     speaks with Kueue about an attempt that holds quota
//	resizer    has chunks grow and shrink; grower creates them
//	releaser   releases what is held or asked for
//	cleaner    deletes Workloads that nobody needs any longer
//	writer     makes all writes, and remembers them until the watches show them
//	view       what the watches show
//	unseen     Workloads that may exist although the watch does not show them
//	shown      what the holder of a grant has seen of its chunks
//	askers     who asks and who has just released; it wakes them
//	wakeups    wakes askers when the watches show a change
//
// What a Workload, its conditions and Kueue's messages mean is in pure functions: state.go, verdict.go, messages.go and
// grant.go read them, workload.go, chunk.go and conditions.go say what is written.
//
// Pods above the base gang of a gated ask have Workloads of their own, called chunks, each of which is admitted and
// evicted separately. Resize creates and counts chunks, and Persisted releases them. An annotation marks them:
// functions that look for the Workload of an ask ignore chunks.
package kueue
