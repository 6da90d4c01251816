// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rights says what a driver does at the API server, without which its run fails. It is pure: whether the service
// account of the driver may do so, others find out.
package rights
