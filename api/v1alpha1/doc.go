// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the API of Sparkgate: SparkApplication, ScheduledSparkApplication, SparkCluster, SparkQueue and SparkFlavor of
// the group sparkgate.io.
//
// The package knows shapes and names only: types, constants, small getters. It imports nothing but apimachinery,
// core/v1 and Flux's constants, so that clients can use it without pulling in a controller.
//
// Every field of SparkApplicationSpec carries a struct tag `sparkgate` that says what a change of it means:
//
//	run   part of the run template: a change starts a new run
//	ask   part of what is asked of the queue: free while queued, else it counts from the next attempt on
//	live  taken over at once; never starts a run
//
// Run fields have no schema default: a default that moved would change the template hash of every stored object and
// start every finished job again. Their defaults are applied when the objects of a run are rendered.
//
// +kubebuilder:object:generate=true
// +groupName=sparkgate.io
package v1alpha1
