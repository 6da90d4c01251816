// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package catalog lists the gates by the names that the API gives them, with what each can do. It needs no cluster, so
// that whatever works without one (lint, render) knows as much as the operator. A gate returns its entry from
// Capabilities.
package catalog
