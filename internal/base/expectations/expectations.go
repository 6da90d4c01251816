// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package expectations reports whether a cache has caught up with what this process has written.
//
// A watch lags behind the writes of the process that reads it. A decision about an object from before the last own
// write would repeat what was already done. So each controller and gate remembers the version that the write has
// produced, and waits until the watch shows it or a later one.
package expectations

import "k8s.io/apimachinery/pkg/util/resourceversion"

// Version is the newest resource version that an object is known to have. The zero value expects nothing.
type Version string

// Deleted is the version of an object that was deleted while the watch still shows it. The watch never shows a version
// that satisfies it.
const Deleted Version = "18446744073709551615"

// SatisfiedBy reports whether the version that a cache shows is at least as new as the expected one. Versions that are
// empty or not numbers cannot be compared, and satisfy it.
func (v Version) SatisfiedBy(shown string) bool {
	order, err := resourceversion.CompareResourceVersion(shown, string(v))
	return err != nil || order >= 0
}

// Newest returns the newer one of two versions.
func (v Version) Newest(version string) Version {
	if v == "" || !Version(version).SatisfiedBy(string(v)) {
		return Version(version)
	}
	return v
}
