// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import "testing"

// TestNeedsAreNamed: the log calls each need by the name of its constant.
func TestNeedsAreNamed(t *testing.T) {
	t.Parallel()
	want := map[Need]string{
		NeedNothing: "Nothing", NeedPlan: "Plan", NeedVerdict: "Verdict", NeedDriverAbsent: "DriverAbsent", NeedNodes: "Nodes",
		NeedAllocation: "Allocation", NeedLogCause: "LogCause", NeedDriverEvent: "DriverEvent",
		NeedActivity: "Activity",
	}
	for need, name := range want {
		if got := need.String(); got != name {
			t.Errorf("need %d is called %q, want %q", int(need), got, name)
		}
	}
}
