// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schema validates manifests against the schemas of the CRDs where there is no API server to do it. It reads
// the CRDs that are applied to clusters and runs the API server's own validation: types, bounds, patterns, closed sets,
// lists without duplicates, and rules in CEL. What that finds is put into words that have the value and a remedy.
//
// Two things differ on purpose. Rules are evaluated even if another field has a value of the wrong type, so that one
// run finds everything; and defaults are not set, so a rule about a field that has one and is absent is not evaluated.
// Fields that do not exist are found by package strictdecode, which suggests the nearest name.
package schema
