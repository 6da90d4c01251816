// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package strictdecode decodes the raw parts of an application (pod templates, volumes, affinity) and reports each
// mistake with its path.
//
// The API keeps these parts as raw JSON, so that the schema stays small. This package does what a schema would do: it
// reports unknown and duplicate fields and values of the wrong type, with the full path including indexes, and suggests
// a similar name if there is one.
package strictdecode
