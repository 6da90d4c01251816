// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rest reads what Spark measured from the REST API of a driver that runs, or of a history server: version 1,
// /api/v1 (Spark's monitoring page). Answers are bounded in size, and are text of others.
package rest
