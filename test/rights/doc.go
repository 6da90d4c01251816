// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rights finds which rights the operator uses in the audit log of an API server, and which ones it has from its roles.
package rights
