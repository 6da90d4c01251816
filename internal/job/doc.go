// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package job is the wing of the life of a job: what becomes of an application and when a schedule runs, what pods,
// causes and usage say, and the conditions that report it. It may import api, queueing, internal/spark and
// internal/base, and does not know how a decision is carried out.
package job
