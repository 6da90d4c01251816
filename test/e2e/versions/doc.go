// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package versions runs real jobs of one Spark version, which SPARK_TEST_VERSION names and whose image the cluster has.
// `make e2e-versions` does so for every supported version except the one of the other tests; the build tag slow
// excludes these tests from the others.
package versions
