// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sparkgate is the root of an operator that runs Apache Spark on Kubernetes from Git. It has no code: the operator is
// cmd/sparkgate, its command-line tool cmd/sparkctl, and the API that other programs may import api/v1alpha1.
// docs/architecture.md says what each package is.
package sparkgate
