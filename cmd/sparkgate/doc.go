// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sparkgate is the operator: it runs Apache Spark applications on Kubernetes, with queues and quotas. With the
// argument "dashboard" it serves the web page instead.
package main
