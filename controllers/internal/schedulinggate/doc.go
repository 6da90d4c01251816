// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedulinggate lets pods in through their scheduling gate: it knows the one patch by which that is done.
package schedulinggate
