// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// clockSkew is how much the clocks of two machines on which the operator runs, one after the other, may differ.
const clockSkew = time.Minute

// resetFutureTimes sets timestamps of the status that are in the future to now, and reports whether there were any,
// which means that the clock was set back. After that no deadline is further away than its timeout, and none is earlier
// than it was.
func resetFutureTimes(st *state, rt retries) bool {
	t, back := &st.s.Times, false
	for _, at := range []**metav1.Time{&t.Waiting, &t.ReferenceMissing, &t.Admitted, &t.Started, &t.DriverStarted, &t.Stopping} {
		if *at != nil && (*at).After(st.o.Now.Add(clockSkew)) {
			*at, back = st.nowPtr(), true
		}
	}
	if pause := rt.pauseAfterLast(); t.Retry != nil && t.Retry.After(st.o.Now.Add(pause+pause/jitterShare+clockSkew)) {
		rt.pauseFor(pause)
		back = true
	}
	return back
}
