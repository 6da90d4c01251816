// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// clockSkew is how much the clocks of two machines may differ on which the operator runs, one after the other.
const clockSkew = time.Minute

// clockSetBack says that the status has times of the future: the machine's clock was set back. What counts from them then counts from now
// on, so nothing ends earlier than it would have, and no deadline is further away than its timeout.
func (d *decider) clockSetBack() bool {
	t, back := &d.s.Times, false
	for _, at := range []**metav1.Time{&t.Waiting, &t.ReferenceMissing, &t.Admitted, &t.Started, &t.DriverStarted, &t.Stopping} {
		if *at != nil && (*at).After(d.o.Now.Add(clockSkew)) {
			*at, back = d.nowPtr(), true
		}
	}
	if pause := d.pauseAfterLast(); t.Retry != nil && t.Retry.After(d.o.Now.Add(pause+pause/jitterShare+clockSkew)) {
		d.pauseFor(pause)
		back = true
	}
	return back
}

// pauseAfterLast is the pause that follows the last attempt; 0 if there was none.
func (d *decider) pauseAfterLast() time.Duration {
	n := len(d.s.Attempts)
	switch {
	case n == 0:
		return 0
	case d.s.Attempts[n-1].Outcome == v1alpha1.OutcomeStopped:
		return d.requeuePause()
	}
	return d.backoff(&d.s.Attempts[n-1])
}
