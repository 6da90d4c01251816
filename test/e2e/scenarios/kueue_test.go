// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// kueueQueues are a flavor, a ClusterQueue with so much cpu and memory, and its LocalQueue, for one test.
const kueueQueues = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: %[1]s}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: %[1]s
      resources: [{name: cpu, nominalQuota: "%[2]s"}, {name: memory, nominalQuota: %[3]s}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: %[1]s}
value: 1000
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: spark}
spec: {clusterQueue: %[1]s}
`

func onKueue(spec *v1alpha1.SparkApplicationSpec) { spec.Queue.Gate = v1alpha1.GateKueue }

// underKueue returns a namespace with queues of Kueue.
func underKueue(t *testing.T, applications int, cpu, memory string) *env.Namespace {
	t.Helper()
	env.Kueue(t)
	s := env.NewTenant(t, applications)
	s.ApplyText(fmt.Sprintf(kueueQueues, s.Name, cpu, memory))
	// Clean up before Kueue stops, because they have its finalizers.
	t.Cleanup(func() {
		for _, kind := range []string{"ClusterQueue", "ResourceFlavor", "WorkloadPriorityClass"} {
			o := &unstructured.Unstructured{}
			o.SetGroupVersionKind(schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: kind})
			o.SetName(s.Name)
			if err := env.Client().Delete(context.Background(), o); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// TestJobsRunOneAfterTheOtherUnderKueue: under Kueue one job waits for the other, an urgent one preempts it, and all
// run to their end; kubectl shows Kueue's view of them.
func TestJobsRunOneAfterTheOtherUnderKueue(t *testing.T) {
	t.Parallel()
	s := underKueue(t, 1, "1", "3Gi")
	s.Apply(env.Pi("lesser", "spark", onKueue, env.Sleep("40")))
	s.Reaches("lesser", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("next", "spark", onKueue))
	s.Shows("next", "told to wait in Kueue's words", func(app *v1alpha1.SparkApplication) error {
		admitted := env.Condition(app, v1alpha1.AdmittedCondition)
		if admitted.Reason != v1alpha1.WaitingForQuotaReason || !strings.Contains(admitted.Message, "insufficient unused quota") {
			return fmt.Errorf("%s: %s", admitted.Reason, admitted.Message)
		}
		return nil
	})
	s.Apply(env.Pi("urgent", "spark", onKueue, func(spec *v1alpha1.SparkApplicationSpec) { spec.Queue.PriorityClassName = s.Name }))
	s.Reaches("lesser", env.Attempt{Run: 1, Attempt: 2}, v1alpha1.PreemptedReason)
	s.Reaches("urgent", env.First, v1alpha1.SucceededReason)
	s.Reaches("next", env.First, v1alpha1.SucceededReason)
	end := s.Reaches("lesser", env.Attempt{Run: 1, Attempt: 2}, v1alpha1.SucceededReason)
	if end.Status.Preemptions != 1 || end.Status.Failures != 0 {
		t.Errorf("preemptions %d, failures %d, want 1 and 0", end.Status.Preemptions, end.Status.Failures)
	}
	haveSucceeded(s, 3, func(string) bool { return true })
	if peak := s.Peak(); peak.Drivers != 1 {
		t.Errorf("at the peak there were %+v, want one driver", peak)
	}
}

// TestAJobGrowsAndGivesWayUnderKueue: under Kueue a job also grows above its base gang; another one of the same
// priority gets its first executors from that quota, and both succeed.
func TestAJobGrowsAndGivesWayUnderKueue(t *testing.T) {
	t.Parallel()
	s := underKueue(t, 2, "4", "6272Mi") // seven pods
	s.Apply(env.Pi("growing", "spark", onKueue, elastic()))
	executorsOf(s, "growing", 6, 0)
	s.Apply(env.Pi("late", "spark", onKueue)) // three pods
	s.Reaches("late", env.First, v1alpha1.SucceededReason)
	end := enough(s, "growing")
	survived(t, s, end, "Kueue has evicted Workload")
	within(t, s, "6272Mi")
	haveSucceeded(s, 2, func(shown string) bool { return strings.Count(shown, "\n") == 2 })
}

// haveSucceeded waits until so many Workloads have succeeded, and kubectl shows all of them correctly: the quota of a
// run is released only after its end is written.
func haveSucceeded(s *env.Namespace, n int, right func(shown string) bool) {
	s.Await(fmt.Sprintf("%d Workloads to have succeeded", n), func() error {
		shown := s.Kubectl("get", "workloads.kueue.x-k8s.io", "--no-headers", "-o", "custom-columns=N:.metadata.name,F:.status.conditions[?(@.type=='Finished')].reason")
		if strings.Count(shown, "Succeeded") != n || !right(shown) {
			return fmt.Errorf("there are:\n%s", shown)
		}
		return nil
	})
}
