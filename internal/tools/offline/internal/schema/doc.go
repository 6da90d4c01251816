// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schema validates manifests against the schemas of the CRDs without an API server. It reads the CRDs that are
// applied to clusters and runs the API server's own validation: types, bounds, patterns, enums, lists without
// duplicates, and CEL rules. It rewords the errors so that they have the value and a remedy.
//
// It differs from the API server in two ways. Rules are evaluated even if another field has the wrong type, so that one
// run finds everything. And defaults are not set, so a rule about an absent field with a default is not evaluated.
// Unknown fields are found by package strictdecode, which suggests the nearest name.
package schema
