// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gate connects the embedded queue to the cluster as a gate. It feeds the engine, runs its cycles, and records
// every grant in the ledger of the tree's root queue before the asker learns of it.
//
// A Gate answers the reconcilers. It shares the admissions, and their lock, with the loop, which decides in cycles, and
// with the ledgers, which only the loop writes once the gate is open.
//
//	Sync(ask) ──► engine ──cycle──► decision ──► ledger (compare and swap) ──► asker is woken ──► Sync: Granted
//	                                                                                │ writes status.grant
//	                                     next ledger write leaves the entry out ◄── Persisted
//
// The ledger fences off old leaders. A leader that was replaced without noticing (a paused process) cannot record a
// grant, because the new leader has raised the epoch and the swap fails. If the old leader had recorded a grant but not
// yet written it to its asker, the new leader finds it in the ledger, charges it and offers it to the asker again. It
// is the same grant, whichever process writes it.
package gate
