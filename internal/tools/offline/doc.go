// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package offline does without a cluster what the operator does with an application. It is for command-line tools,
// tests of manifests, and programs that write manifests.
//
//	FromSubmit   a call of spark-submit  ─► SparkApplication
//	Convert      kubeflow's kinds        ─► SparkApplication, ScheduledSparkApplication
//	Render       SparkApplication        ─► driver pod, Service, ConfigMap, …
//	Lint         files                   ─► what the API server and the operator would refuse
//	NewPlan      files and a cluster     ─► which applications would be admitted, preempted, refused
//
// All functions are pure: no client, no clock, no environment, and no files but those that the caller passes. The same
// input gives the same bytes.
package offline
