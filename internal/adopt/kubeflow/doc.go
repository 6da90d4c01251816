// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubeflow translates the kinds of kubeflow's spark-operator (sparkoperator.k8s.io/v1beta2, as of v2.5.2) to
// those of this project.
//
//	field of theirs ─► table (fields.go) ─► field, property, part of the pod template, note or refusal
//	                                     ─► what depends on several fields (program.go, pods.go, life.go)
//
// The result runs as the original does: without security defaults, with one executor where none is said, and without
// time limits. Everything else that differs is a note, which names the field of theirs; what cannot run alike is
// refused. An application without refusals has passed the checks of package validate.
//
// The package is pure: no cluster, no clock and no files.
package kubeflow
