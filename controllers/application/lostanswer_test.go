// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/queueing"
)

// liveWith returns a client of an API server that has these objects.
func liveWith(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// grownGrant returns a grant of the first attempt that has grown so often.
func grownGrant(resizes int64) *v1alpha1.Grant {
	return &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded, Resizes: resizes}
}

// TestStoredWithoutAnAnswer: a status with a grant was stored although its write got no answer, and the watch is late,
// so that all further writes conflict. What the status holds is not released: the gate would grant it to others.
func TestStoredWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "sparkapplications"}, "pi", errors.New("changed"))
	for name, tt := range map[string]struct {
		err error
		// seen is the grant in the cache, wanted the one that could not be written, and stored the one of the API server.
		seen, wanted, stored *v1alpha1.Grant
		absent               bool
		released, declined   int
	}{
		"a new grant":                  {err: conflict, wanted: grownGrant(0), stored: grownGrant(0)},
		"a new grant, refused at last": {err: apierrors.NewRequestEntityTooLargeError("limit"), wanted: grownGrant(0), stored: grownGrant(0)},
		"growth":                       {err: conflict, seen: grownGrant(0), wanted: grownGrant(1), stored: grownGrant(1)},
		"nothing of a new grant":       {err: conflict, wanted: grownGrant(0), released: 1},
		"nothing of growth":            {err: conflict, seen: grownGrant(0), wanted: grownGrant(1), stored: grownGrant(0), declined: 1},
		"it is gone":                   {err: conflict, wanted: grownGrant(0), absent: true, released: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
			app.Status.Run, app.Status.Attempt, app.Status.Grant = 1, 1, tt.stored
			live := liveWith(t)
			if !tt.absent {
				live = liveWith(t, app)
			}
			gate := &countingGate{}
			r := New(Options{Gates: reservation.Gates{"Embedded": gate}, Live: live, Clock: testingclock.NewFakeClock(noon), Recorder: events.NewFakeRecorder(10)})
			seen := app.DeepCopy()
			seen.ResourceVersion, seen.Status.Grant = "7", tt.seen
			p := passOver(r, seen)
			for range memory.MaxConflicts {
				_ = p.unwritten(t.Context(), lifecycle.Decision{Status: v1alpha1.SparkApplicationStatus{Grant: tt.wanted}}, tt.err)
				if gate.released+gate.declined > 0 {
					break
				}
			}
			if gate.released != tt.released || gate.declined != tt.declined {
				t.Errorf("released %d, declined %d; want %d, %d", gate.released, gate.declined, tt.released, tt.declined)
			}
			if late := r.memory.IsStale(seen); late != (tt.released+tt.declined == 0) {
				t.Errorf("that the version in the cache is out of date is known: %t", late)
			}
		})
	}
}

// chargingGate records what it is asked to charge.
type chargingGate struct {
	countingGate
	charged []queueing.Key
}

func (g *chargingGate) Charge(key queueing.Key, _ queueing.Grant) { g.charged = append(g.charged, key) }

// TestGrantInTheStatusIsCharged: whatever a gate has released by mistake, or an earlier leader has written late, it
// charges what it finds in the status. The exception is an attempt that was given up because its status cannot be
// written.
func TestGrantInTheStatusIsCharged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		grant  *v1alpha1.Grant
		gaveUp bool
		want   int
	}{
		"waits":           {},
		"holds a grant":   {grant: grownGrant(0), want: 1},
		"was given up on": {grant: grownGrant(0), gaveUp: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := &chargingGate{}
			r := New(Options{Gates: reservation.Gates{"Embedded": gate}, Clock: testingclock.NewFakeClock(noon)})
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
			app.Status.Run, app.Status.Attempt, app.Status.Grant = 1, 1, tt.grant
			if tt.gaveUp {
				r.memory.Of(app).Refusals.GiveUp(lifecycle.AttemptID{Run: 1, Attempt: 1})
			}
			r.chargeHeld(app, r.memory.Of(app))
			want := slices.Repeat([]queueing.Key{{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: "pi", UID: "pi-uid"}}, tt.want)
			if diff := cmp.Diff(want, append([]queueing.Key{}, gate.charged...)); diff != "" {
				t.Errorf("charged (-want +got):\n%s", diff)
			}
		})
	}
}
