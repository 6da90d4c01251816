// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package strictdecode decodes the raw parts of an application (pod templates, volumes, affinity) and says where each
// mistake is.
//
// The API keeps those parts as raw JSON, so that the schema stays small; this package is what a schema would have been:
// unknown and duplicate fields and values of the wrong kind are mistakes with the full path, indices included, and a
// proposal where one is near.
package strictdecode
