// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package status holds the one table that turns the stage of an application, or the state of a queue, into conditions.
//
// Nothing else sets a condition. The table keeps these rules, which kstatus, Flux, Argo CD and `kubectl wait` rely on:
//
//  1. at most one of Reconciling and Stalled is present;
//  2. Stalled means Ready=False with the same reason;
//  3. Ready=Unknown means Reconciling=True;
//  4. work under way is Unknown; "went wrong, is tried again" is False with Reconciling;
//  5. something that is missing is waited for, and Stalled only after its timeout;
//  6. Stalled is not an end: ExceedsQuota and ReferenceNotFound clear themselves;
//  7. the same view gives the same conditions, byte for byte, so that nothing is written when nothing changed;
//  8. the stage is the reason of Ready and stands nowhere else.
//
// Everything here is pure: no client, no clock, no logger. The package imports the API types only.
package status
