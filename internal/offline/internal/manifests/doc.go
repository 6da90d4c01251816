// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifests reads files of manifests and holds the project's kinds against everything that can be known without
// a cluster: the schema, fields that do not exist, and the operator's own checks. Each finding says file, line and
// field.
package manifests
