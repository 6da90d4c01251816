// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package servers has real clients use servers of Spark: PySpark's client for Spark Connect in a pod that stands for a
// notebook, and beeline for Thrift.
//
// The client comes from PyPI by requirements.txt. hack/suite installs it once into a folder of the user's cache:
// SPARKGATE_PYSPARK_CLIENT. The pod mounts that folder and runs the Python of the Spark image, so client and server
// have the same Python, as functions in Python need it.
package servers
