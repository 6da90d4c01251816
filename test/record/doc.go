// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command record captures what the real spark-submit sends to Kubernetes, so
// that the driver objects that Sparkgate builds can be compared with it.
//
//	cases/*.yaml ─► arguments, files, environment ─► spark-submit ─► fake API server
//	      │                                                               │ requests
//	      └─► app.yaml (the same job as a SparkApplication)               ▼
//	                                                     normalise ─► recordings/<version>/<case>.txtar
//
// It runs pyspark of the version asked for, taken from the user's cache folder
// or else downloaded with pip. Nothing random and nothing of the machine stays
// in the result: a second recording of the same version gives the same files.
//
// It is a module of its own and imports nothing of Sparkgate.
package main
