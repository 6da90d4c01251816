// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gate connects the embedded queue to the cluster as a gate. It feeds the engine, runs its cycles, and records
// every grant in the ledger of the tree's root queue before the asker learns of it.
//
// A Gate answers the reconcilers. It is composed of parts, each of which says in its fields what it may use:
//
//	admissions  who asks and what is in flight, under one lock with the engine
//	ledgers     reads and writes the ledgers; used by one goroutine only, and once the gate is open that is the loop's
//	cycles      decides, and records what was decided before anybody learns of it
//	counts      which queues have counts to write with their ledgers
//	timer       requests cycles for later
//	loop        does one at a time what others request
//	View        what others may see of the queues
//
// How a grant reaches its asker:
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
