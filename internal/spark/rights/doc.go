// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rights lists the rights at the API server that a driver needs for its run to succeed. It is pure: it does not
// check whether the driver's service account has them.
package rights
