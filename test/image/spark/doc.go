// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package spark builds a real Spark image from Debian and PyPI packages, with
// neither a container engine nor a registry.
//
// The image has three layers, each cached under the user's cache folder by a
// key of everything it is built from, so that a change redoes only what it must:
//
//	base      Debian 12 with a Java 17 runtime, Python and tini
//	spark     /opt/spark: the distribution inside the PyPI package pyspark
//	examples  the example programs and the entrypoint
//
// The package must not import anything outside the standard library but
// package archive.
package spark
