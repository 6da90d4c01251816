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

// TestRefusedQueue: the message says where the queue was named, and what the namespace may use; it names no other queue.
func TestRefusedQueue(t *testing.T) {
	t.Parallel()
	const field, says = "spec.queue.name", "queue taem-a does not exist"
	many := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7"}
	for name, tt := range map[string]struct {
		queue     string
		allowed   List
		published string
		queues    []string
		unknown   bool
		want      string
	}{
		"a typing mistake":        {queues: []string{"nightly", "team-a"}, want: "; did you mean team-a? Namespace ns may use nightly, team-a"},
		"another name":            {queues: []string{"nightly"}, want: "; namespace ns may use nightly"},
		"many":                    {queues: many, want: "; namespace ns may use a1, a2, a3, a4, a5 and 2 more"},
		"none":                    {want: "; no queue admits namespace ns: ask an administrator for one"},
		"one that is not allowed": {allowed: List{true, []string{"nightly"}}, queues: []string{"nightly", "team-a"}, want: "; namespace ns may use nightly"},
		"none is allowed":         {allowed: List{Set: true}, queues: []string{"team-a"}, want: "; no queue admits namespace ns: ask an administrator for one"},
		"it was meant":            {queue: "team-a", queues: []string{"team-a"}, want: "; namespace ns may use team-a"},
		"a gate without a list":   {unknown: true, want: ""},
		"queues come and go": {published: field + ": " + says + "; namespace ns may use nightly", queues: []string{"team-a"},
			want: "; namespace ns may use nightly"},
		"the first queue comes": {published: field + ": " + says + "; no queue admits namespace ns: ask an administrator for one",
			queues: []string{"nightly"}, want: "; namespace ns may use nightly"},
		"another cause": {published: field + ": queue old does not exist; namespace ns may use old", queues: []string{"nightly"},
			want: "; namespace ns may use nightly"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := tt.queue
			if queue == "" {
				queue = "taem-a"
			}
			got := Policy{Namespace: "ns", Queues: tt.allowed}.RefusedQueue(Placement{Queue: queue, QueueField: field}, says, tt.published,
				func() ([]string, bool) { return tt.queues, !tt.unknown })
			if want := field + ": " + says + tt.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestUnlimitedByDefault: only who names no queue is reminded that there are queues with a quota.
func TestUnlimitedByDefault(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{}
	const want = "neither the application nor its namespace names a queue, so it is in queue default, which has no limits: for one with a quota, " +
		"set spec.queue.name, or the annotation sparkgate.io/default-queue of the namespace"
	if got := (Policy{}).Place(app, Defaults{}).UnlimitedByDefault(); got != want {
		t.Errorf("nothing is named: got %s\nwant %s", got, want)
	}
	if got := (Policy{DefaultQueue: "default"}).Place(app, Defaults{}).UnlimitedByDefault(); got != "" {
		t.Errorf("the namespace names it: %s", got)
	}
	app.Spec.Queue = &v1alpha1.QueueReference{Name: "default"}
	if got := (Policy{}).Place(app, Defaults{}).UnlimitedByDefault(); got != "" {
		t.Errorf("the application names it: %s", got)
	}
}
