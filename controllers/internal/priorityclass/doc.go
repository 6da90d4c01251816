// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package priorityclass finds out which PriorityClasses may be named by users of a queue, for applications and for
// Spark pods of no application.
package priorityclass
