// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestJobsInAQueueOfVolcano: two jobs in a queue with quota for one. Volcano admits one after the other, each as a whole, and places all
// its pods.
func TestJobsInAQueueOfVolcano(t *testing.T) {
	t.Parallel()
	env.Volcano(t)
	s := env.NewTenant(t, 1)
	volcanoQueue(t, s, "1")
	s.Apply(env.Pi("first", s.Name, env.Sleep("20"), underVolcano))
	s.Reaches("first", env.First, v1alpha1.RunningReason)
	group := checkGroup(t, s, "first", 1)

	s.Apply(env.Pi("second", s.Name, underVolcano))
	second := s.Becomes("second", v1alpha1.QueuedReason)
	if c := env.Condition(second, v1alpha1.AdmittedCondition); c.Reason != v1alpha1.WaitingForQuotaReason || !strings.Contains(c.Message, "cpu 600m") {
		t.Errorf("Admitted: %+v", c)
	}
	s.Await("the second group waits", func() error {
		if got := s.Kubectl("get", "podgroups", "-o", "jsonpath={.items[*].status.phase}"); !strings.Contains(got, "Pending") {
			return fmt.Errorf("phases of the groups: %s", got)
		}
		return nil
	})
	s.RunningExecutors("first", 2)
	checkGroup(t, s, "first", 3)

	s.Reaches("first", env.First, v1alpha1.SucceededReason)
	s.Reaches("second", env.First, v1alpha1.SucceededReason)
	if peak := s.Peak(); peak.Drivers != 1 || peak.CPU > 1000 {
		t.Errorf("at the peak there were %+v, want one driver and no more than 1 cpu", peak)
	}
	s.Await("the groups are gone", func() error {
		if left := s.Kubectl("get", "podgroups", "-o", "name"); left != "" {
			return fmt.Errorf("left: %s, the first one was %s", left, group)
		}
		return nil
	})
}

func underVolcano(spec *v1alpha1.SparkApplicationSpec) { spec.Queue.Gate = v1alpha1.GateVolcano }

// volcanoQueue creates a queue of Volcano with the name of the namespace, until the test ends.
func volcanoQueue(t *testing.T, s *env.Namespace, cpu string) {
	t.Helper()
	s.ApplyText(fmt.Sprintf(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: %s}
spec: {weight: 1, capability: {cpu: %q}}
`, s.Name, cpu))
	t.Cleanup(func() {
		queue := &unstructured.Unstructured{}
		queue.SetAPIVersion("scheduling.volcano.sh/v1beta1")
		queue.SetKind("Queue")
		queue.SetName(s.Name)
		if err := env.Client().Delete(context.Background(), queue); err != nil {
			t.Error(err)
		}
	})
}

// checkGroup checks that so many pods of an application are placed by Volcano as members of one group, and returns its name.
func checkGroup(t *testing.T, s *env.Namespace, application string, pods int) string {
	t.Helper()
	text := s.Kubectl("get", "pods", "-l", "sparkgate.io/application="+application, "-o",
		`jsonpath={range .items[*]}{.spec.schedulerName}/{.metadata.annotations.scheduling\.k8s\.io/group-name}{"\n"}{end}`)
	lines := strings.Fields(text)
	for _, line := range lines {
		if line != lines[0] || !strings.HasPrefix(line, "volcano/"+application) {
			t.Errorf("pods, by scheduler and group:\n%s", text)
			break
		}
	}
	if len(lines) != pods {
		t.Errorf("%d pods, want %d:\n%s", len(lines), pods, text)
	}
	return strings.TrimPrefix(lines[0], "volcano/")
}
