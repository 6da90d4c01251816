// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package trees says which tree each SparkQueue is in, and whose leader serves it. It imports the API only.
package trees
