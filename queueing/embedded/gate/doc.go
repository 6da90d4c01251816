// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gate makes the embedded queue a gate: it feeds the engine, runs its cycles, and records every grant in the
// ledger of the tree's root queue before an application hears of it.
//
// A Gate answers the reconcilers. It shares the admissions, and their lock, with the loop, which decides in cycles, and
// with the ledgers, which only the loop writes once the gate is open.
//
//	Sync(ask) ──► engine ──cycle──► decision ──► ledger (compare and swap) ──► application is woken ──► Sync: Granted
//	                                                                                │ writes status.grant
//	                                     next ledger write leaves the entry out ◄── Persisted
//
// The ledger fences. A leader that was replaced without noticing (a paused process) cannot record a grant: the new
// leader has raised the epoch, so the swap fails. A grant that the old leader had recorded but not yet written to its
// application is found in the ledger by the new one, which charges it and offers it to the application again: whichever
// process writes it, it is the same grant.
package gate
