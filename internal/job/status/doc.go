// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package status holds the table that turns the stage of an application, the state of a queue or that of a schedule
// into conditions.
//
// No other package sets a condition. The table keeps these rules, which kstatus, Flux, Argo CD and `kubectl wait` rely
// on:
//
//  1. at most one of Reconciling and Stalled is present;
//  2. Stalled means Ready=False with the same reason;
//  3. Ready=Unknown means Reconciling=True;
//  4. while work is under way Ready is Unknown; after a failure that is tried again it is False, with Reconciling;
//  5. an application waits for a missing reference, and is Stalled only after a timeout;
//  6. Stalled need not be final: ExceedsQuota and ReferenceNotFound end when their cause does;
//  7. the same view gives the same conditions, byte for byte, so that nothing is written if nothing has changed;
//  8. the stage is stored as the reason of Ready and nowhere else.
//
// All functions are pure: no client, no clock, no logger.
package status
