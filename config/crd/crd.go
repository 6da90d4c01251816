// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package crd holds the CustomResourceDefinitions for programs that need them without an API server.
package crd

import "embed"

// Bases are the files of the folder bases, one for each kind.
//
//go:embed bases/*.yaml
var Bases embed.FS
