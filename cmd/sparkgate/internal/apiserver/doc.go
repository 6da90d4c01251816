// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apiserver waits at the start until the API server serves everything that the operator needs, and logs which
// optional features it lacks.
package apiserver
