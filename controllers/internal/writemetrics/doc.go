// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package writemetrics counts the operator's writes to the API server. The operator promises a maximum number of writes
// per job, and these metrics are the first to show a storm of writes. The package only observes requests and changes
// nothing.
package writemetrics
