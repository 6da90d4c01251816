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
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
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
		"some conflicts":               {err: conflict, times: memory.MaxConflicts - 1, wanted: grant(0)},
		"conflicts without end":        {err: conflict, times: memory.MaxConflicts, wanted: grant(0), released: 1},
		"conflicts of one that waits":  {err: conflict, times: memory.MaxConflicts},
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
			p := passOver(r, &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid", ResourceVersion: "7"}})
			p.app.Status.Run, p.app.Status.Attempt, p.app.Status.Grant = 1, 1, tc.stored
			p.app.Status.Driver = &v1alpha1.DriverStatus{PodName: "pi-driver", UID: "driver-uid"}
			if tc.running {
				p.observed.Pods = []*pods.Record{{UID: types.UID("driver-uid"), Role: pods.Driver}}
			}
			d := lifecycle.Decision{Status: v1alpha1.SparkApplicationStatus{Grant: tc.wanted}}
			for range max(1, tc.times) {
				_ = p.unwritten(t.Context(), d, tc.err)
			}
			if gate.released != tc.released || gate.declined != tc.declined {
				t.Errorf("released %d, declined %d; want %d, %d", gate.released, gate.declined, tc.released, tc.declined)
			}
			if ended := tc.stored != nil && tc.released > 0; p.record.Refusals.GaveUp(lifecycle.AttemptID{Run: 1, Attempt: 1}) != ended {
				t.Errorf("that the attempt may make no driver any more is %t", !ended)
			}
		})
	}
}
