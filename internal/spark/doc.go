// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package spark is the wing of what Spark needs and does: its properties by version, the objects of an attempt, what an
// application may say, and how what Spark runs differs from what spark-submit would start. It is computed without a
// cluster, for the operator and for tools alike, and may import api, queueing and internal/base.
package spark
