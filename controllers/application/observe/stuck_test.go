// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// observingGate records the last state of a holder.
type observingGate struct {
	plainGate
	state queueing.HolderState
}

func (g *observingGate) UpdateHolder(_ queueing.Key, _, _ int64, s queueing.HolderState) { g.state = s }

// TestHolderOnALostNode: the gate hears that an application which should end cannot, so that no other one waits for
// it, and that it can again.
func TestHolderOnALostNode(t *testing.T) {
	t.Parallel()
	gate := &observingGate{}
	gates := reservation.Gates{"Embedded": gate}
	holder := &Holder{Gates: gates, Placer: &plan.Placer{Gates: gates, Cache: fake.NewClientBuilder().Build()}, Record: &memory.Record{}}
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
	app.Status.Run, app.Status.Attempt, app.Status.Grant = 1, 1, &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded}
	for _, lost := range []string{"", "pod pi-1-1-driver on node n1", ""} {
		app.Status.Conditions = status.Conditions(app.Status.Conditions, status.View{Stage: status.Finalizing, Message: "m", NodeLost: lost}, metav1.NewTime(noon))
		if err := holder.Report(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		if gate.state.Stuck != (lost != "") || !gate.state.Terminating {
			t.Errorf("with the message %q about its nodes: %+v", lost, gate.state)
		}
	}
}
