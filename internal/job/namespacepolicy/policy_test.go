// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package namespacepolicy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func namespace(guarded bool, annotations map[string]string) metav1.Object {
	out := &metav1.ObjectMeta{Name: "team", Annotations: annotations}
	if guarded {
		out.Labels = map[string]string{v1alpha1.GuardedLabel: "true"}
	}
	return out
}

func TestOf(t *testing.T) {
	t.Parallel()
	got := Of(namespace(true, map[string]string{
		v1alpha1.DefaultGateAnnotation: "Kueue", v1alpha1.DefaultQueueAnnotation: "team-a", v1alpha1.AllowedGatesAnnotation: "Kueue,None",
		v1alpha1.AllowedQueuesAnnotation: " team-a ,\n\tteam-b,,", v1alpha1.AllowedServiceAccountsAnnotation: "",
	}))
	want := Policy{
		Namespace: "team", Guarded: true, DefaultGate: "Kueue", DefaultQueue: "team-a",
		Gates: List{true, []string{"Kueue", "None"}}, Queues: List{true, []string{"team-a", "team-b"}}, ServiceAccounts: List{true, []string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	if label := (&metav1.ObjectMeta{Name: "team", Labels: map[string]string{v1alpha1.GuardedLabel: "yes"}}); Of(label).Guarded {
		t.Error("another value of the label guards the namespace")
	}
}

var allButNone = []v1alpha1.GateType{"Embedded", "Kueue", "Volcano", "YuniKorn"}

func TestGate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		list      *string
		operators []v1alpha1.GateType
		gate      string
		want      string
	}{
		"the operator's default":       {nil, allButNone, "Volcano", ""},
		"None is not part of it":       {nil, allButNone, "None", `spec.queue.gate: gate "None" is not allowed in namespace team: use one of "Embedded, Kueue, Volcano, YuniKorn", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-gates`},
		"the operator's flag":          {nil, []v1alpha1.GateType{"None"}, "None", ""},
		"the operator allows none":     {nil, []v1alpha1.GateType{}, "Embedded", `spec.queue.gate: gate "Embedded" is not allowed in namespace team: have an administrator add it to the namespace's annotation sparkgate.io/allowed-gates`},
		"the namespace allows more":    {list("Embedded, None"), allButNone, "None", ""},
		"the namespace allows less":    {list("Embedded"), allButNone, "Kueue", `spec.queue.gate: gate "Kueue" is not allowed in namespace team: use one of "Embedded", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-gates`},
		"the namespace allows nothing": {list(" "), allButNone, "Embedded", `spec.queue.gate: gate "Embedded" is not allowed in namespace team: have an administrator add it to the namespace's annotation sparkgate.io/allowed-gates`},
		"in other letters":             {list("none"), allButNone, "None", `spec.queue.gate: gate "None" is not allowed in namespace team: use one of "none", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-gates`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := policy(false, v1alpha1.AllowedGatesAnnotation, tc.list).Gate(tc.gate, "spec.queue.gate", tc.operators); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		guarded bool
		list    *string
		queue   string
		want    string
		limits  bool
	}{
		"no list":                  {false, nil, "default", "", false},
		"no list, guarded":         {true, nil, "default", "", true},
		"in the list":              {false, list("team-a,default"), "default", "", false},
		"in the list, guarded":     {true, list("team-a,default"), "default", "", false},
		"not in the list":          {false, list("team-a"), "default", `spec.queue.name: queue "default" is not allowed in namespace team: use one of "team-a", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-queues`, false},
		"not in the list, guarded": {true, list("team-a"), "default", `spec.queue.name: queue "default" is not allowed in namespace team: use one of "team-a", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-queues`, true},
		"part of a name":           {false, list("team-a"), "team", `spec.queue.name: queue "team" is not allowed in namespace team: use one of "team-a", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-queues`, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy(tc.guarded, v1alpha1.AllowedQueuesAnnotation, tc.list)
			if got := p.Queue(tc.queue, "spec.queue.name"); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if got := p.NeedsLimits(tc.queue); got != tc.limits {
				t.Errorf("needs limits: %t, want %t", got, tc.limits)
			}
		})
	}
}

func list(text string) *string { return &text }

// policy returns that of a namespace with one annotation, or none.
func policy(guarded bool, key string, text *string) Policy {
	if text == nil {
		return Of(namespace(guarded, nil))
	}
	return Of(namespace(guarded, map[string]string{key: *text}))
}

func TestPodSecurity(t *testing.T) {
	t.Parallel()
	const weaker = " is weaker than what the label pod-security.kubernetes.io/enforce="
	tests := map[string]struct {
		label     string
		level     v1alpha1.PodSecurity
		forbidden bool
		want      string
	}{
		"nobody says anything":       {"", "None", false, ""},
		"privileged":                 {"privileged", "None", false, ""},
		"the flag":                   {"", "None", true, "spec.podSecurity: value None is not allowed by the operator's flag --allow-pod-security-none: set it to Restricted or Baseline"},
		"the flag, the default":      {"", "", true, ""},
		"the flag, Baseline":         {"", "Baseline", true, ""},
		"restricted":                 {"restricted", "None", false, "spec.podSecurity: value None" + weaker + "restricted of namespace team demands: set it to Restricted"},
		"restricted, Baseline":       {"restricted", "Baseline", false, "spec.podSecurity: value Baseline" + weaker + "restricted of namespace team demands: set it to Restricted"},
		"restricted, the default":    {"restricted", "", false, ""},
		"baseline":                   {"baseline", "None", false, "spec.podSecurity: value None" + weaker + "baseline of namespace team demands: set it to Baseline"},
		"baseline, Baseline":         {"baseline", "Baseline", false, ""},
		"baseline, what is stricter": {"baseline", "Restricted", false, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Of(&metav1.ObjectMeta{Name: "team", Labels: map[string]string{EnforceLabel: tc.label}})
			if got := p.PodSecurity(tc.level, !tc.forbidden); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
