// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"bytes"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// queue returns a queue with usage, given as resource, flavor, used, nominal and borrowed.
func queue(name, parent string, usage ...[5]string) v1alpha1.SparkQueue {
	q := v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.SparkQueueSpec{Parent: parent}}
	for _, u := range usage {
		use := v1alpha1.QueueUsage{Resource: u[0], Flavor: u[1], Used: resource.MustParse(u[2])}
		if u[3] != "" {
			use.Nominal = ptr.To(resource.MustParse(u[3]))
		}
		if u[4] != "" {
			use.Borrowed = ptr.To(resource.MustParse(u[4]))
		}
		q.Status.Usage = append(q.Status.Usage, use)
	}
	return q
}

// TestQueues: the tree with what is used, empty, full, borrowed and without a quota; held, drained, wrong, and above itself.
func TestQueues(t *testing.T) {
	t.Parallel()
	root := queue("root", "", [5]string{"cpu", "default", "24", "40", ""}, [5]string{"memory", "default", "96Gi", "160Gi", "0"}, [5]string{"pods", "default", "9", "", ""})
	root.Status.Pending, root.Status.Admitted = 3, 4
	teamA := queue("team-a", "root", [5]string{"cpu", "default", "14", "10", "4"}, [5]string{"nvidia.com/gpu", "a100", "2", "0", "2"})
	teamA.Status.Pending, teamA.Status.Admitted = 3, 2
	teamA.Status.Heads = []v1alpha1.QueueHead{{Position: 1, Kind: v1alpha1.SparkApplicationKind, Namespace: "etl", Name: "daily", Priority: 5}, {Position: 2, Kind: v1alpha1.SparkApplicationKind, Namespace: "etl", Name: "hourly"}}
	teamB := queue("team-b", "root")
	teamB.Spec.StopPolicy = v1alpha1.StopPolicyHold
	lost := queue("lost", "nowhere", [5]string{"cpu", "default", "0", "", ""})
	lost.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionFalse, Reason: v1alpha1.ParentNotFoundReason, Message: "queue nowhere does not exist"}}
	all := []v1alpha1.SparkQueue{teamB, lost, queue("round", "about"), queue("about", "round"), teamA, root}
	below := queue("night", "team-b-1")
	between := queue("team-b-1", "team-b")
	drained, under := queue("drained", "root"), queue("under", "drained")
	drained.Spec.StopPolicy, under.Spec.StopPolicy = v1alpha1.StopPolicyHoldAndDrain, v1alpha1.StopPolicyHold
	all = append(all, below, between, under, drained)
	for name, width := range map[string]int{"queues.txt": 0, "queues-40.txt": 40} {
		var out bytes.Buffer
		if err := WriteQueues(&out, all, StoppedOf(all), width); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/"+name, out.String())
	}

	app := staged("pi", v1alpha1.RunningReason, "the driver runs", func(s *v1alpha1.SparkApplicationStatus) {
		s.Times.Admitted = ago(90 * time.Minute)
		s.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{
			{Name: "driver", Flavor: "default", Count: 1, Requests: map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("2")}},
			{Name: "executor", Flavor: "default", Count: 3, Requests: map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("4")}},
		}}
	})
	var out bytes.Buffer
	if err := WriteLine(&out, &teamA, []Holder{HolderOf(app)}, ""); err != nil {
		t.Fatal(err)
	}
	if err := WriteLine(&out, &teamB, nil, "you may not list sparkapplications"); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/queue-line.txt", out.String())
}
