// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package catalog lists the gates by their names in the API, with the capabilities of each. It needs no cluster, so
// that commands that work without one (lint, render) know as much as the operator. A gate returns its entry from
// Capabilities.
package catalog
