// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package trees computes which tree each SparkQueue belongs to and which leader serves it. It imports nothing of ours
// but the API.
package trees
