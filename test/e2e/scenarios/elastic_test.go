// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// elastic lets a job have one to six executors, and keeps all of them busy until enough is called.
func elastic() env.Change {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		env.Program("/opt/spark/examples/sleep.py", "3600", "12")(spec)
		spec.Executor.Instances = nil
		spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MinExecutors: ptr.To[int32](1), MaxExecutors: ptr.To[int32](6)}
	}
}

// enough ends the program of elastic, and returns the application that has succeeded.
func enough(s *env.Namespace, name string) *v1alpha1.SparkApplication {
	driver := s.Reaches(name, env.First, v1alpha1.RunningReason).Status.Driver.PodName
	s.Kubectl("exec", driver, "-c", "spark-kubernetes-driver", "--", "touch", "/tmp/enough")
	return s.Reaches(name, env.First, v1alpha1.SucceededReason)
}

// executorsOf waits until so many executors of a job are ready, and so many are behind the scheduling gate.
func executorsOf(s *env.Namespace, name string, ready, gated int32) *v1alpha1.SparkApplication {
	return s.Shows(name, fmt.Sprintf("at %d executors, and %d behind the gate", ready, gated), func(app *v1alpha1.SparkApplication) error {
		if e := app.Status.Executors; e == nil || e.Ready != ready || e.Gated != gated {
			return fmt.Errorf("executors: %+v", e)
		}
		return nil
	})
}

// survived checks that a run that lost executors has ended as usual, and that an event says why they were removed.
func survived(t *testing.T, s *env.Namespace, end *v1alpha1.SparkApplication, why string) {
	t.Helper()
	if end.Status.Preemptions != 0 || end.Status.Failures != 0 || len(end.Status.Attempts) != 1 ||
		end.Status.Executors == nil || end.Status.Executors.Failed != 0 {
		t.Errorf("the run has not survived in order: preemptions %d, failures %d, %d attempts, executors %+v", end.Status.Preemptions,
			end.Status.Failures, len(end.Status.Attempts), end.Status.Executors)
	}
	events := s.Kubectl("get", "events", "--field-selector", "involvedObject.name="+end.Name, "-o", "custom-columns=R:.reason,M:.message")
	if !strings.Contains(events, "ExecutorsReclaimed ") || !strings.Contains(events, why) {
		t.Errorf("no event tells that executors went, and %q:\n%s", why, events)
	}
}

// within checks that the pods of a namespace never requested more memory than that at a time.
func within(t *testing.T, s *env.Namespace, memory string) {
	t.Helper()
	quota := resource.MustParse(memory)
	if peak := s.Peak(); peak.Memory > quota.Value() {
		t.Errorf("at the peak there were %+v, want no more than %s", peak, memory)
	}
}

// TestAJobGrowsIntoFreeQuota: a job with one to six executors starts with one, grows into the free quota, says why it
// gets no more, and grows again when another job is gone.
func TestAJobGrowsIntoFreeQuota(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 2)
	queue := env.Queue(s.Name+"-shared", "4", "6272Mi") // seven pods
	s.Apply(queue, env.Pi("other", queue.Name, env.Sleep("900"), func(spec *v1alpha1.SparkApplicationSpec) { spec.Executor.Instances = ptr.To[int32](1) }))
	s.Reaches("other", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("growing", queue.Name, elastic()))
	app := executorsOf(s, "growing", 4, 2)
	for _, word := range []string{"wait for quota", "memory 896Mi", "queue " + queue.Name} {
		if !strings.Contains(app.Status.Executors.Problem, word) {
			t.Errorf("the problem does not tell %q: %s", word, app.Status.Executors.Problem)
		}
	}
	if text := s.Sparkctl("explain", "growing", "-n", s.Name); !strings.Contains(text, "quota for 2 more executors") {
		t.Errorf("sparkctl explain does not tell that two executors wait:\n%s", text)
	}
	s.Kubectl("delete", "sgapp", "other", "--wait=false")
	executorsOf(s, "growing", 6, 0)
	enough(s, "growing")
	within(t, s, "6272Mi")
	s.GivenBack(queue.Name)
}

// TestATeamTakesExecutorsBackAndTheRunSurvives: the lender takes back what a growing job has borrowed: executors end,
// the run survives, and both jobs succeed.
func TestATeamTakesExecutorsBackAndTheRunSurvives(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 2)
	root := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: s.Name + "-root"}}
	a, b := env.Queue(s.Name+"-team-a", "2", "2688Mi"), env.Queue(s.Name+"-team-b", "2", "3584Mi")
	a.Spec.Parent, b.Spec.Parent = root.Name, root.Name
	s.Apply(root, a, b, env.Pi("growing", a.Name, elastic()))
	executorsOf(s, "growing", 6, 0)
	s.Apply(env.Pi("lender", b.Name))
	s.Reaches("lender", env.First, v1alpha1.SucceededReason)
	end := enough(s, "growing")
	survived(t, s, end, s.Name+"/lender")
	within(t, s, "6272Mi")
	s.GivenBack(a.Name)
	s.GivenBack(b.Name)
}
