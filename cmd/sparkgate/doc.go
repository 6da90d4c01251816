// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sparkgate is the operator: it runs Apache Spark applications, queues and their quota on Kubernetes.
package main
