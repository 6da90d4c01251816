// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install has the commands about the installation of the operator: version and uninstall.
package install
