// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import "testing"

// TestOnlyRefusedApplicationsAreRemembered: every pass asks for the refusals, and almost no application was ever
// refused.
func TestOnlyRefusedApplicationsAreRemembered(t *testing.T) {
	t.Parallel()
	f, sound, refused := newRefusals(), version("a", "1", 1), version("b", "2", 1)
	if wait := f.refusedFor(sound, noon); wait != 0 || f.gaveUp(sound, attempt{1, 1}) {
		t.Errorf("an application that was not refused waits for %s", wait)
	}
	f.taken(sound)
	if len(f.apps) > 0 {
		t.Errorf("%d applications are remembered, and none was refused", len(f.apps))
	}
	pause, _ := f.refuse(refused, noon, true)
	if wait := f.refusedFor(refused, noon); wait != pause {
		t.Errorf("a refused application waits for %s, want %s", wait, pause)
	}
	f.giveUp(refused, attempt{1, 1})
	f.taken(refused)
	if wait := f.refusedFor(refused, noon); wait != 0 || !f.gaveUp(refused, attempt{1, 1}) {
		t.Errorf("after a write that has succeeded it waits for %s, given up: %t", wait, f.gaveUp(refused, attempt{1, 1}))
	}
}
