// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queues has the commands about queues and what is charged to them: queue, plan, usage and dashboard.
package queues
