// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package resourceversions compares the resource versions of an object.
package resourceversions

import "k8s.io/apimachinery/pkg/util/resourceversion"

// Older reports whether a resource version is older than another. Versions that are empty or not numbers cannot be
// compared, so the answer is false.
func Older(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}
