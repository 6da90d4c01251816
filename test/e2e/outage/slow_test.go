// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package outage

import "testing"

// The story as it stands, with 55 applications: some ten minutes on two cores.
func TestSlowQuotaHoldsOverKills(t *testing.T) {
	testQuotaHolds(t, 55)
}
