// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apiserver waits until the API server serves what the operator needs, and says what it lacks of what users may
// expect.
package apiserver
