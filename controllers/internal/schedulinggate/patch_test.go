// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedulinggate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

func TestLift(t *testing.T) {
	t.Parallel()
	spot := Placement{
		NodeSelector: map[string]string{"example.org/pool": "spot", "disk": "ssd"},
		Tolerations:  []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}},
		Labels:       map[string]string{"sparkgate.io/flavor": "spot"},
	}
	const seen = `{"op":"test","path":"/metadata/resourceVersion","value":"7"},`
	tests := map[string]struct {
		gate       pods.SchedulingGate
		unlabelled bool
		where      Placement
		want       string
	}{
		"no placement": {
			want: `[` + seen + `{"op":"test","path":"/spec/schedulingGates/0/name","value":"sparkgate.io/quota"},` +
				`{"op":"remove","path":"/spec/schedulingGates/0"}]`,
		},
		"behind another gate, with a selector and tolerations of its own": {
			gate: pods.SchedulingGate{At: 1, NodeSelector: map[string]string{"zone": "a"}, Tolerations: []corev1.Toleration{{Key: "x"}}}, where: spot,
			want: `[` + seen + `{"op":"test","path":"/spec/schedulingGates/1/name","value":"sparkgate.io/quota"},` +
				`{"op":"add","path":"/metadata/labels/sparkgate.io~1flavor","value":"spot"},` +
				`{"op":"add","path":"/spec/nodeSelector","value":{"disk":"ssd","example.org/pool":"spot","zone":"a"}},` +
				`{"op":"add","path":"/spec/tolerations/-","value":{"key":"spot","operator":"Exists"}},` +
				`{"op":"remove","path":"/spec/schedulingGates/1"}]`,
		},
		"with nothing of its own": {
			unlabelled: true, where: spot,
			want: `[` + seen + `{"op":"test","path":"/spec/schedulingGates/0/name","value":"sparkgate.io/quota"},` +
				`{"op":"add","path":"/metadata/labels","value":{}},{"op":"add","path":"/metadata/labels/sparkgate.io~1flavor","value":"spot"},` +
				`{"op":"add","path":"/spec/nodeSelector","value":{"disk":"ssd","example.org/pool":"spot"}},` +
				`{"op":"add","path":"/spec/tolerations","value":[]},{"op":"add","path":"/spec/tolerations/-","value":{"key":"spot","operator":"Exists"}},` +
				`{"op":"remove","path":"/spec/schedulingGates/0"}]`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := string(RemovalPatch(&pods.Record{Version: 7, SchedulingGate: &tt.gate}, tt.unlabelled, tt.where))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLiftFromPods: the API server can apply the patch, whether the pod has a node selector, an affinity, both or
// neither.
func TestLiftFromPods(t *testing.T) {
	t.Parallel()
	terms := []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}}}}}
	affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
	for name, spec := range map[string]corev1.PodSpec{
		"nothing":    {},
		"a selector": {NodeSelector: map[string]string{"zone": "a"}},
		"affinity":   {Affinity: affinity},
		"both":       {NodeSelector: map[string]string{"zone": "a"}, Affinity: affinity},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi-exec-1", Labels: map[string]string{"a": "b"}}, Spec: spec}
			c := fake.NewClientBuilder().WithObjects(pod).Build()
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
				t.Fatal(err)
			}
			patch := RemovalPatch(pods.RecordOf(pods.Lean(pod.DeepCopy())), false, Placement{NodeSelector: map[string]string{"pool": "spot"}})
			after := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
			if err := c.Patch(t.Context(), after, client.RawPatch(types.JSONPatchType, patch)); err != nil {
				t.Fatalf("%s: %v", patch, err)
			}
			for key, value := range spec.NodeSelector {
				if after.Spec.NodeSelector[key] != value {
					t.Errorf("lost %s=%s", key, value)
				}
			}
			if after.Spec.NodeSelector["pool"] != "spot" || len(after.Spec.SchedulingGates) > 0 {
				t.Errorf("selects %v, behind %v", after.Spec.NodeSelector, after.Spec.SchedulingGates)
			}
		})
	}
}
