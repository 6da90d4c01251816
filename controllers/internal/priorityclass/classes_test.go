// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package priorityclass

import (
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := schedulingv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	queue := func(name string, classes []string) client.Object {
		return &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.SparkQueueSpec{PriorityClassNames: classes}}
	}
	reader := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		queue("open", nil), queue("listed", []string{"low", "system-cluster-critical"}),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "usual"}, GlobalDefault: true},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}},
	).Build()
	tests := map[string]struct{ queue, class, want string }{
		"no list":                        {"open", "high", ""},
		"no list, the system's":          {"open", "system-node-critical", `f: priority class "system-node-critical" is not allowed in queue open: use one that does not begin with "system-", or have an administrator list it in spec.priorityClassNames of queue open`},
		"in the list":                    {"listed", "low", ""},
		"the system's, in the list":      {"listed", "system-cluster-critical", ""},
		"not in the list":                {"listed", "high", `f: priority class "high" is not allowed in queue listed: use one of "low, system-cluster-critical", or have an administrator add it to spec.priorityClassNames of queue listed`},
		"the cluster's default":          {"listed", "usual", ""},
		"one that does not exist":        {"listed", "absent", `f: priority class "absent" is not allowed in queue listed: use one of "low, system-cluster-critical", or have an administrator add it to spec.priorityClassNames of queue listed`},
		"a queue that does not exist":    {"absent", "system-node-critical", `f: priority class "system-node-critical" is not allowed: use one that does not begin with "system-", or remove it`},
		"the queue of another system":    {"", "high", ""},
		"the system's, another system's": {"", "system-node-critical", `f: priority class "system-node-critical" is not allowed: use one that does not begin with "system-", or remove it`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Classes{Reader: reader, Queue: tc.queue}.Refusal(t.Context(), tc.class, "f")
			if err != nil || got != tc.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tc.want)
			}
		})
	}
}
