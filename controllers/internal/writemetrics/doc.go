// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package writemetrics counts what the operator writes to the API server: how many writes a job costs is a promise, and
// a storm of them is seen here first. It looks at requests on their way out and changes nothing.
package writemetrics
