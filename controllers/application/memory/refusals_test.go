// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// TestRefusedUntilAWrite: an application waits only after a refusal and until a write succeeds. What was given up stays
// given up.
func TestRefusedUntilAWrite(t *testing.T) {
	t.Parallel()
	var sound, f Refusals
	refused, first := version("b", "2", 1), lifecycle.AttemptID{Run: 1, Attempt: 1}
	if wait := sound.Wait("1", noon); wait != 0 || sound.GaveUp(first) {
		t.Errorf("an application that was not refused waits for %s", wait)
	}
	pause, _ := f.Refuse(refused, noon, true)
	if wait := f.Wait(refused.ResourceVersion, noon); wait != pause {
		t.Errorf("a refused application waits for %s, want %s", wait, pause)
	}
	f.GiveUp(first)
	f.Taken()
	if wait := f.Wait(refused.ResourceVersion, noon); wait != 0 || !f.GaveUp(first) {
		t.Errorf("after a write that has succeeded it waits for %s, given up: %t", wait, f.GaveUp(first))
	}
}

// TestPausesAfterRefusals: the pause doubles up to a bound, is short for an application that has changed, and ends with
// a successful write.
func TestPausesAfterRefusals(t *testing.T) {
	t.Parallel()
	var m Refusals
	now := noon
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid", ResourceVersion: "7"}}
	for i, want := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second} {
		pause, first := m.Refuse(app, now, true)
		if pause != want || first != (i == 0) {
			t.Errorf("refusal %d: pause %s, first %t; want %s", i+1, pause, first, want)
		}
	}
	if got := m.Wait(app.ResourceVersion, now.Add(30*time.Second)); got != 50*time.Second {
		t.Errorf("left alone for %s, want 50s", got)
	}
	changed := app.DeepCopy()
	changed.ResourceVersion = "8"
	if got := m.Wait(changed.ResourceVersion, now.Add(4*time.Second)); got != 6*time.Second {
		t.Errorf("after a change: left alone for %s, want 6s", got)
	}
	for range 100 {
		m.Refuse(app, now, true)
	}
	if got := m.Wait(app.ResourceVersion, now); got != maxRefusalPause {
		t.Errorf("at last it is left alone for %s, want %s", got, maxRefusalPause)
	}
	app.Status.Grant = &v1alpha1.Grant{}
	if pause, _ := m.Refuse(app, now, true); pause != maxHolderPause {
		t.Errorf("one that holds a grant is left alone for %s, want %s", pause, maxHolderPause)
	}
	m.Taken()
	if got := m.Wait(app.ResourceVersion, now); got != 0 {
		t.Errorf("after a write: left alone for %s", got)
	}
}
