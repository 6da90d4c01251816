// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package elastic lets applications grow above their base gangs and shrink again: the tests play Spark, which makes executors behind a
// scheduling gate, and the kubelet, which runs those that are let in.
package elastic

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package that start none of their own.
var operator harness.Shared

func in(queue *v1alpha1.SparkQueue) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = queue.Name }
}

// small has no more than one executor.
func small(app *v1alpha1.SparkApplication) { app.Spec.Executor.Instances = ptr.To[int32](1) }

// granted waits until the grant of an application has that many pods in each set: as "executor", or as "+spot" above the base gang.
func granted(t *testing.T, app *v1alpha1.SparkApplication, want map[string]int32) {
	t.Helper()
	harness.Eventually(t, app, fmt.Sprintf("granted %v", want), func(a *v1alpha1.SparkApplication) bool {
		got := map[string]int32{}
		if a.Status.Grant != nil {
			for _, p := range a.Status.Grant.PodSets {
				name := p.Name
				if p.Elastic {
					name = "+" + p.Flavor
				}
				got[name] += p.Count
			}
		}
		return gocmp.Equal(want, got)
	})
}

// uses waits until a queue counts quota for that many pods.
func uses(t *testing.T, queue *v1alpha1.SparkQueue, pods int64) {
	t.Helper()
	want := resource.NewQuantity(pods*harness.PodMemory, resource.BinarySI)
	harness.Eventually(t, queue, "at a use of "+want.String(), func(q *v1alpha1.SparkQueue) bool {
		var used resource.Quantity
		for _, u := range q.Status.Usage {
			if u.Resource == "memory" {
				used.Add(u.Used)
			}
		}
		return used.Cmp(*want) == 0
	})
}

// ungated returns the numbers of the executors that are there and have been ungated.
func ungated(t *testing.T, app *v1alpha1.SparkApplication) []string {
	t.Helper()
	list := &corev1.PodList{}
	err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace),
		client.MatchingLabels{v1alpha1.ApplicationLabel: app.Name, v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range list.Items {
		if pod := &list.Items[i]; len(pod.Spec.SchedulingGates) == 0 {
			_, number, _ := strings.Cut(pod.Name, "-exec-")
			out = append(out, number)
		}
	}
	slices.Sort(out)
	return out
}
