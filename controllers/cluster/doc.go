// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cluster runs SparkClusters. A cluster is a SparkApplication of the same name, which it owns: the driver is the
// master, the executors are the workers. So it waits for quota, is explained, charged, preempted and ended as any
// application is, and this package only writes that application and reads its status.
package cluster
