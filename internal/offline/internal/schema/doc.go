// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schema holds manifests against the schemas of the CRDs where there is no API server to do it: kinds of values, bounds,
// patterns, closed sets, and the rules in CEL.
//
// It reads the CRDs that are applied to clusters, so that it cannot say anything else than they do. Keywords that it does not know are
// an error when it starts. Fields that do not exist are not its business: package strict names them with the nearest one.
package schema
