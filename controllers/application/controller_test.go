// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/queueing"
)

// askedGate holds an ask of every application.
type askedGate struct{ countingGate }

func (*askedGate) KeysFor(kind queueing.Kind, namespace, name string) []queueing.Key {
	return []queueing.Key{{Kind: kind, Namespace: namespace, Name: name, UID: "pi-uid"}}
}

// TestUnknownClaimTakesNothingAway: while it cannot be read which operator decides on an application, its ask is not
// withdrawn.
func TestUnknownClaimTakesNothingAway(t *testing.T) {
	t.Parallel()
	gate, unreadable := &askedGate{}, errors.New("the namespace cannot be read")
	r := New(Options{
		Gates: reservation.Gates{"Embedded": gate}, Clock: testingclock.NewFakeClock(noon),
		Claims: &operators.Claims{
			Operators: operators.New(operators.Options{Namespace: "ours", Clock: testingclock.NewFakeClock(noon)}),
			QueueOf:   func(context.Context, *v1alpha1.SparkApplication) (string, bool, error) { return "", false, unreadable },
		},
	})
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
	if _, err := r.reconcileExisting(t.Context(), app); !errors.Is(err, unreadable) || gate.released > 0 {
		t.Errorf("%d asks were taken back, %v", gate.released, err)
	}
}
