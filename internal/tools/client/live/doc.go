// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package live reads everything that a plan needs from an API server, with the credentials of the user.
package live
