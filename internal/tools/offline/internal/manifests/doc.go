// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifests reads manifest files and checks the project's kinds as far as possible without a cluster: against
// the schema, for unknown fields, and with the operator's own checks. Each finding has file, line and field.
package manifests
