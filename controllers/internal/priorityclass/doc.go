// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package priorityclass determines which PriorityClasses users of a queue may name, for applications and for Spark pods
// that belong to no application.
package priorityclass
