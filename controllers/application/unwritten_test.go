// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// countingGate counts releases.
type countingGate struct {
	plainGate
	released, declined int
}

func (g *countingGate) Release(context.Context, queueing.Key, queueing.Release) error {
	g.released++
	return nil
}

func (g *countingGate) Decline(context.Context, queueing.Key, queueing.Grant) { g.declined++ }

// TestRefusedStatusHoldsNothing: a grant is released if its status was certainly not written, and kept if it may have
// been written.
func TestRefusedStatusHoldsNothing(t *testing.T) {
	t.Parallel()
	app := schema.GroupResource{Group: "sparkgate.io", Resource: "sparkapplications"}
	grant := func(grown int64) *v1alpha1.Grant {
		return &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded, Resizes: grown}
	}
	tooLarge := apierrors.NewInternalError(errors.New("etcdserver: request is too large"))
	conflict := apierrors.NewConflict(app, "pi", errors.New("changed"))
	tests := map[string]struct {
		err                error
		times              int
		stored, wanted     *v1alpha1.Grant
		running            bool
		released, declined int
	}{
		"too large for the API server": {err: apierrors.NewRequestEntityTooLargeError("limit is 3145728"), wanted: grant(0), released: 1},
		"too large for etcd":           {err: tooLarge, wanted: grant(0), released: 1},
		"forbidden":                    {err: apierrors.NewForbidden(app, "pi", errors.New("policy")), wanted: grant(0), released: 1},
		"no answer":                    {err: context.DeadlineExceeded, times: 20, wanted: grant(0)},
		"an internal error":            {err: apierrors.NewInternalError(errors.New("etcd is down")), times: 20, wanted: grant(0)},
		"some conflicts":               {err: conflict, times: maxConflicts - 1, wanted: grant(0)},
		"conflicts without end":        {err: conflict, times: maxConflicts, wanted: grant(0), released: 1},
		"conflicts of one that waits":  {err: conflict, times: maxConflicts},
		"it has grown":                 {err: tooLarge, stored: grant(0), wanted: grant(1), declined: 1},
		"it goes on":                   {err: tooLarge, stored: grant(0), wanted: grant(0)},
		"it has ended":                 {err: tooLarge, stored: grant(0), released: 1},
		"its pods have not ended":      {err: tooLarge, stored: grant(0), running: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, clock := &countingGate{}, clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
			r := New(Options{Gates: reservation.Gates{"Embedded": gate}, Live: liveWith(t), Clock: clock, Recorder: events.NewFakeRecorder(10)})
			p := newPass(r, &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid", ResourceVersion: "7"}})
			p.app.Status.Run, p.app.Status.Attempt, p.app.Status.Grant = 1, 1, tc.stored
			p.app.Status.Driver = &v1alpha1.DriverStatus{PodName: "pi-driver", UID: "driver-uid"}
			if tc.running {
				p.observed.Pods = []*pods.Record{{UID: types.UID("driver-uid"), Role: pods.Driver}}
			}
			d := lifecycle.Decision{Status: v1alpha1.SparkApplicationStatus{Grant: tc.wanted}}
			for range max(1, tc.times) {
				_ = p.publisher.unwritten(t.Context(), d, tc.err)
			}
			if gate.released != tc.released || gate.declined != tc.declined {
				t.Errorf("released %d, declined %d; want %d, %d", gate.released, gate.declined, tc.released, tc.declined)
			}
			if ended := tc.stored != nil && tc.released > 0; r.refusals.gaveUp(p.app, attempt{1, 1}) != ended {
				t.Errorf("that the attempt may make no driver any more is %t", !ended)
			}
		})
	}
}

// TestPausesAfterRefusals: the pause doubles up to a bound, is short for an application that has changed, and ends with
// a successful write.
func TestPausesAfterRefusals(t *testing.T) {
	t.Parallel()
	m, now := newRefusals(), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid", ResourceVersion: "7"}}
	for i, want := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second} {
		pause, first := m.refuse(app, now, true)
		if pause != want || first != (i == 0) {
			t.Errorf("refusal %d: pause %s, first %t; want %s", i+1, pause, first, want)
		}
	}
	if got := m.refusedFor(app, now.Add(30*time.Second)); got != 50*time.Second {
		t.Errorf("left alone for %s, want 50s", got)
	}
	changed := app.DeepCopy()
	changed.ResourceVersion = "8"
	if got := m.refusedFor(changed, now.Add(4*time.Second)); got != 6*time.Second {
		t.Errorf("after a change: left alone for %s, want 6s", got)
	}
	for range 100 {
		m.refuse(app, now, true)
	}
	if got := m.refusedFor(app, now); got != maxRefusalPause {
		t.Errorf("at last it is left alone for %s, want %s", got, maxRefusalPause)
	}
	app.Status.Grant = &v1alpha1.Grant{}
	if pause, _ := m.refuse(app, now, true); pause != maxHolderPause {
		t.Errorf("one that holds a grant is left alone for %s, want %s", pause, maxHolderPause)
	}
	m.taken(app)
	if got := m.refusedFor(app, now); got != 0 {
		t.Errorf("after a write: left alone for %s", got)
	}
}
