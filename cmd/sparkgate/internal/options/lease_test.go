// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"
	"time"
)

// TestTheNextLeaderNeedNotWait: the lease is released when the operator ends normally, and is short for when it does
// not.
func TestTheNextLeaderNeedNotWait(t *testing.T) {
	t.Parallel()
	o, err := Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if l := o.LeaderElection; !l.ReleaseOnCancel || l.LeaseDuration > 10*time.Second {
		t.Errorf("a lease of %s, given back: %t", l.LeaseDuration, l.ReleaseOnCancel)
	}
}
