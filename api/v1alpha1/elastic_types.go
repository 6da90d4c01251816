// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ElasticUsage counts executors above base gangs.
type ElasticUsage struct {
	// granted ones hold quota.
	// +required
	Granted int32 `json:"granted"`
	// waiting ones are wanted by their applications, and wait behind their scheduling gates.
	// +required
	Waiting int32 `json:"waiting"`
}
