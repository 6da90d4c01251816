// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kueue is the gate that leaves the decision to Kueue.
//
//	Ask ──► Workload ──(Kueue: quota, admission checks)──► Admitted ──► Grant
//	              ◄──(Evicted)── Kueue          Release ──► requeued, held, finished or deleted
//
// Each wait in the queue has one Workload (kueue.x-k8s.io/v1beta2), owned by the application and named after the
// attempt that asked first. Attempts that were preempted or sent back continue with it, so that it keeps its age; after a
// failure there is a new one. Its labels name the attempt that it stands for now.
//
// All state is in the Workload and in the grant that the application keeps: a gate that starts anew reads both. Kueue's
// kinds may be missing, come and go while the operator runs.
//
// The rules that an integration has to keep are Kueue's own: quota is released by the integration that requested it,
// once no pod is active (conditions QuotaReserved and Admitted); PodsReady has to be written, or Kueue takes quota back
// after its timeout; a finished Workload says so, and only then loses the finalizer.
//
// Executors above the base gang of a gated ask are Workloads of their own beside that one, chunks, each admitted and
// evicted on its own. Resize creates and counts them, Persisted gives them back. An annotation distinguishes them: where
// a function takes the Workload of an ask, chunks are passed over.
package kueue
