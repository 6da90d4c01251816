// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestGrantedAsk: the ask that a gate has to keep equals the granted one, as far as the gate's object depends on it.
func TestGrantedAsk(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "jobs", Name: "pi", UID: "7f3d", Annotations: map[string]string{"volcano.sh/sla-waiting-time": "1h"},
	}}
	app.Spec.Queue = &v1alpha1.QueueReference{Name: "since-changed", PriorityClassName: "nightly", MinExecutors: ptr.To[int32](2)}
	app.Status.Grant = &v1alpha1.Grant{Run: 3, Attempt: 2, Gate: v1alpha1.GateVolcano, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{
		{Name: "driver", Count: 1, Requests: corev1.ResourceList{"cpu": resource.MustParse("200m")}},
		{Name: "executor", Count: 5, Requests: corev1.ResourceList{"cpu": resource.MustParse("300m")}},
	}}
	got := grantedAsk(app)
	want := []queueing.PodSet{
		{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200}},
		{Name: "executor", Count: 5, MinCount: 2, Requests: queueing.Resources{"cpu": 300}},
	}
	if diff := cmp.Diff(want, got.PodSets); diff != "" {
		t.Errorf("pod sets (-want +got):\n%s", diff)
	}
	o := got.Objects
	if got.Queue != "team-a" || got.Run != 3 || got.Attempt != 2 || o.Labels[v1alpha1.QueueLabel] != "team-a" ||
		o.Name != render.NamesOf(app, 3, 2).Prefix || o.Owner.UID != "7f3d" || o.PriorityClass != "nightly" || o.UserAnnotations["volcano.sh/sla-waiting-time"] != "1h" {
		t.Errorf("the ask of the stored grant is %+v, want run 3, attempt 2 in team-a with the objects of that attempt", got)
	}
}
