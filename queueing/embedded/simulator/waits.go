// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"
)

// waitsOf sorts the waits and takes the percentiles out.
func waitsOf(waits []Time) Waits {
	if len(waits) == 0 {
		return Waits{}
	}
	slices.Sort(waits)
	return Waits{P50: nearestRank(waits, 50), P95: nearestRank(waits, 95), Max: waits[len(waits)-1]}
}

// nearestRank returns the smallest value of a sorted list that at least that many percent of it do not exceed.
func nearestRank(sorted []Time, percent int) Time {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(1, rank)-1]
}
