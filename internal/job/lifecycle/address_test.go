// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import "testing"

// TestAddressFollowsWhatIsKnown: a running attempt shows where its web interface was found, and keeps what it shows while that is not known.
func TestAddressFollowsWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runs()
	w.settle()
	planned := w.app.Status.Driver.UIAddress
	for _, step := range []struct{ known, want string }{
		{"", planned}, {"https://spark.example.org/pi", "https://spark.example.org/pi"}, {"", "https://spark.example.org/pi"}, {"http://inside:4040", "http://inside:4040"},
	} {
		d := Decide(Observation{Now: w.now, App: w.app, SameTemplate: true, Pods: w.visible(), UIAddress: step.known})
		if d.Need != NeedNothing || d.Status.Driver == nil || d.Status.Driver.UIAddress != step.want {
			t.Errorf("with %q known: need %d, driver %+v, want the address %q", step.known, d.Need, d.Status.Driver, step.want)
			continue
		}
		w.app.Status = d.Status
	}
}
