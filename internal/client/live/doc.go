// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package live reads from an API server what a plan is made against, with the credentials of the user.
package live
