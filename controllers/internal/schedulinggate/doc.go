// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedulinggate ungates pods: it knows the one patch by which that is done, and whether a pod has changed since
// that was built.
package schedulinggate
