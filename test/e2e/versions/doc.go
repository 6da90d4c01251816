// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package versions runs real jobs of one Spark version, the one that SPARK_TEST_VERSION names and whose image the cluster has.
// `make e2e-versions` does so for every supported version but that of the other tests; the build tag slow keeps these out of them.
package versions
