// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rest reads Spark's measurements from the REST API of a running driver or of a history server: version 1,
// /api/v1 (Spark's monitoring page). Answers are untrusted text, and their size is bounded.
package rest
