// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedulinggate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/pods"
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
				`{"op":"add","path":"/spec/nodeSelector/disk","value":"ssd"},` +
				`{"op":"add","path":"/spec/nodeSelector/example.org~1pool","value":"spot"},` +
				`{"op":"add","path":"/spec/tolerations/-","value":{"key":"spot","operator":"Exists"}},` +
				`{"op":"remove","path":"/spec/schedulingGates/1"}]`,
		},
		"with nothing of its own": {
			unlabelled: true, where: spot,
			want: `[` + seen + `{"op":"test","path":"/spec/schedulingGates/0/name","value":"sparkgate.io/quota"},` +
				`{"op":"add","path":"/metadata/labels","value":{}},{"op":"add","path":"/metadata/labels/sparkgate.io~1flavor","value":"spot"},` +
				`{"op":"add","path":"/spec/nodeSelector","value":{}},{"op":"add","path":"/spec/nodeSelector/disk","value":"ssd"},` +
				`{"op":"add","path":"/spec/nodeSelector/example.org~1pool","value":"spot"},` +
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
