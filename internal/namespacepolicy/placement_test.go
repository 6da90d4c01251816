// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package namespacepolicy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestPlace: what the application says goes before what its namespace says, and that before the operator's default;
// each is named by where it stands.
func TestPlace(t *testing.T) {
	t.Parallel()
	kueue := Defaults{Gate: v1alpha1.GateKueue, QueueLabel: func(gate v1alpha1.GateType) string {
		if gate == v1alpha1.GateKueue {
			return "kueue.x-k8s.io/queue-name"
		}
		return ""
	}}
	app := func(queue *v1alpha1.QueueReference, labels map[string]string) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: v1alpha1.SparkApplicationSpec{Queue: queue}}
	}
	labelled := map[string]string{"kueue.x-k8s.io/queue-name": "lq"}
	says := Policy{Namespace: "a", DefaultGate: "None", DefaultQueue: "batch"}
	const flag, gateAnnotation = "flag --default-gate of the operator", "annotation sparkgate.io/default-gate of namespace a"
	const queueAnnotation = "annotation sparkgate.io/default-queue of namespace a"
	for name, tt := range map[string]struct {
		policy   Policy
		app      *v1alpha1.SparkApplication
		defaults Defaults
		want     Placement
	}{
		"nothing is named":         {app: app(nil, nil), want: Placement{v1alpha1.GateEmbedded, flag, "default", "spec.queue.name (the default)"}},
		"the operator's gate":      {app: app(nil, nil), defaults: kueue, want: Placement{v1alpha1.GateKueue, flag, "default", "spec.queue.name (the default)"}},
		"the label of the gate":    {app: app(nil, labelled), defaults: kueue, want: Placement{v1alpha1.GateKueue, flag, "lq", "label kueue.x-k8s.io/queue-name"}},
		"the label of another":     {app: app(&v1alpha1.QueueReference{Gate: v1alpha1.GateNone}, labelled), defaults: kueue, want: Placement{v1alpha1.GateNone, "spec.queue.gate", "default", "spec.queue.name (the default)"}},
		"the namespace":            {policy: says, app: app(nil, nil), defaults: kueue, want: Placement{v1alpha1.GateNone, gateAnnotation, "batch", queueAnnotation}},
		"no application":           {policy: says, defaults: kueue, want: Placement{v1alpha1.GateNone, gateAnnotation, "batch", queueAnnotation}},
		"the label goes before it": {policy: Policy{Namespace: "a", DefaultQueue: "batch"}, app: app(nil, labelled), defaults: kueue, want: Placement{v1alpha1.GateKueue, flag, "lq", "label kueue.x-k8s.io/queue-name"}},
		"the application": {policy: says, app: app(&v1alpha1.QueueReference{Name: "own", Gate: v1alpha1.GateKueue}, labelled), defaults: kueue,
			want: Placement{v1alpha1.GateKueue, "spec.queue.gate", "own", "spec.queue.name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.policy.Place(tt.app, tt.defaults); got != tt.want {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
