// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// priorityClass creates a PriorityClass and returns its name.
func priorityClass(t *testing.T, value int32) string {
	t.Helper()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{GenerateName: "priority-"}, Value: value}
	harness.Create(t, class)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), class) })
	return class.Name
}

// TestOrder: with quota for one, applications run one after the other by priority, then age. The queue lists who is next.
func TestOrder(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	high := priorityClass(t, 100)
	first := w.Apply("first")
	w.Run(first)
	var waiting []*v1alpha1.SparkApplication
	priority := map[string]int32{}
	for i := range 6 {
		app := w.Apply(fmt.Sprintf("app-%d", i), func(a *v1alpha1.SparkApplication) {
			if i > 2 {
				a.Spec.Queue.PriorityClassName = high
			}
		})
		if i > 2 {
			priority[app.Name] = 100
		}
		waits(t, app, "WaitingForQuota")
		waiting = append(waiting, app)
	}
	slices.SortFunc(waiting, func(a, b *v1alpha1.SparkApplication) int {
		return cmp.Or(cmp.Compare(priority[b.Name], priority[a.Name]), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	var want []v1alpha1.QueueHead
	for i, app := range waiting {
		want = append(want, v1alpha1.QueueHead{Position: int32(i + 1), Kind: v1alpha1.SparkApplicationKind, Namespace: w.Namespace, Name: app.Name, Priority: priority[app.Name]})
	}
	harness.Eventually(t, w.Queue, "showing who is next", func(q *v1alpha1.SparkQueue) bool { return gocmp.Equal(want, q.Status.Heads) })

	running := first
	for i, next := range waiting {
		finish(t, w, running)
		w.Run(next)
		counted(t, w.Queue, 1, int32(len(waiting)-i-1))
		running = next
	}
	finish(t, w, running)
	w.Unused()
}

// TestEditedWhileItWaits: one that asks for more comes behind those that were there.
func TestEditedWhileItWaits(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	first := w.Apply("first")
	w.Run(first)
	edited := w.Apply("edited", func(a *v1alpha1.SparkApplication) {
		a.Spec.OnTemplateChange, a.Spec.Executor.Instances = v1alpha1.TemplateChangeIgnore, ptr.To[int32](1)
	})
	waits(t, edited, "WaitingForQuota")
	other := w.Apply("other")
	waits(t, other, "WaitingForQuota")
	harness.Eventually(t, other, "older than this second, in which ages count", func(a *v1alpha1.SparkApplication) bool {
		return time.Now().Truncate(time.Second).After(a.Status.Times.Queued.Time)
	})
	harness.Change(t, edited, func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](2) })
	harness.Eventually(t, w.Queue, "showing the other one first", func(q *v1alpha1.SparkQueue) bool {
		return len(q.Status.Heads) == 2 && q.Status.Heads[0].Name == other.Name
	})
	finish(t, w, first)
	w.Run(other)
	waits(t, edited, "WaitingForQuota", "memory 2.625Gi")
	finish(t, w, other)
	w.Succeed(edited)
	w.Unused()
}

// TestMessageOfTheWait: it names resource, need and limit, and stays as it is however often others come and go.
func TestMessageOfTheWait(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		quota v1alpha1.ResourceQuota
		words []string
	}{
		"memory": {v1alpha1.ResourceQuota{Resource: "memory"}, []string{"memory 2.625Gi", "flavor default", "at most 3Gi", "nominal 3Gi"}},
		"cpu":    {v1alpha1.ResourceQuota{Resource: "cpu"}, []string{"cpu 600m", "flavor default", "at most 1", "nominal 1"}},
		"pods":   {v1alpha1.ResourceQuota{Resource: "pods"}, []string{"pods 3", "flavor default", "at most 4", "nominal 4"}},
	}
	nominal := map[string]string{"memory": "3Gi", "cpu": "1", "pods": "4"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "", nil)
			operator.Use(t)
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
				q.Spec.PriorityClassNames = []string{"system-node-critical"}
				q.Spec.Unlimited, q.Spec.Flavors = false, memory(nominal[name], "")
				q.Spec.Flavors[0].Quotas[0].Resource = tc.quota.Resource
			})
			harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
			first := w.Apply("first")
			w.Run(first)
			last := w.Apply("last")
			waits(t, last, "WaitingForQuota", append(tc.words, w.Queue.Name)...)
			for i := range 3 { // others come and go, and pass by their priority
				other := w.Apply(fmt.Sprintf("other-%d", i), func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = "system-node-critical" })
				waits(t, other, "WaitingForQuota")
				finish(t, w, first)
				w.Run(other)
				first = other
			}
			finish(t, w, first)
			w.Succeed(last)
			if told := w.History.Messages(last, "Queued"); len(told) != 1 {
				t.Errorf("the message ticks: %q", told)
			}
		})
	}
}

// TestStrategies: what fits may pass what does not, unless the queue is strict, or the one that is passed has waited for too long.
func TestStrategies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		strategy    v1alpha1.QueueStrategy
		headTimeout time.Duration
		// bounded says that the one that runs, and the small one, say how long they run.
		bounded bool
		// words in the message of the small one; none if it passes.
		words []string
		// reserved is how much of the free memory is reserved while the big one waits; empty for none.
		reserved string
	}{
		"BestEffortFIFO": {v1alpha1.BestEffortFIFO, time.Hour, false, nil, ""},
		"StrictFIFO":     {v1alpha1.StrictFIFO, time.Hour, false, []string{"StrictFIFO", "earlier ask"}, ""},
		"head timeout":   {v1alpha1.BestEffortFIFO, 0, false, []string{"1.75Gi", "is reserved for asks", "headTimeout"}, "2432Mi"},
		"back-fill":      {v1alpha1.BestEffortFIFO, 0, true, nil, "2432Mi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "5Gi", nil)
			operator.Use(t)
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
				q.Spec.Strategy, q.Spec.HeadTimeout = tc.strategy, &metav1.Duration{Duration: tc.headTimeout}
			})
			passes := len(tc.words) == 0
			runs := func(limit time.Duration) func(*v1alpha1.SparkApplication) {
				return func(a *v1alpha1.SparkApplication) {
					if tc.bounded {
						a.Spec.Timeouts = &v1alpha1.Timeouts{Run: &metav1.Duration{Duration: limit}}
					}
				}
			}
			first := w.Apply("first", runs(time.Hour))
			w.Run(first)
			big := w.Apply("big", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](4) })
			waits(t, big, "WaitingForQuota", "4.375Gi")
			reserves(t, w.Queue, tc.reserved)
			small := w.Apply("small", runs(10*time.Minute), func(a *v1alpha1.SparkApplication) {
				a.Spec.Executor.Instances, a.CreationTimestamp = ptr.To[int32](1), metav1.Now()
				a.Spec.Queue.PriorityClassName = priorityClass(t, -1) // behind, also if it came in the same second
			})
			if passes {
				w.Succeed(small)
			} else {
				waits(t, small, "WaitingForQuota", tc.words...)
			}
			finish(t, w, first)
			w.Succeed(big)
			if !passes {
				w.Succeed(small)
			}
			w.Unused()
			reserves(t, w.Queue, "")
		})
	}
}

// reserves waits until the status of a queue says that so much memory is reserved; empty for none.
func reserves(t *testing.T, queue *v1alpha1.SparkQueue, want string) {
	t.Helper()
	harness.Eventually(t, queue, "reserving "+want, func(q *v1alpha1.SparkQueue) bool {
		for _, u := range q.Status.Usage {
			if u.Resource == "memory" {
				return u.Reserved == nil && want == "" || u.Reserved != nil && u.Reserved.String() == want
			}
		}
		return false
	})
}

// TestMinExecutors: the application starts with as many executors as fit; Spark gets the number.
func TestMinExecutors(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "4Gi", nil)
	w.History.MemoryLimit = 4 << 30
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.Executor.Instances, a.Spec.Queue.MinExecutors = ptr.To[int32](10), ptr.To[int32](2)
	})
	driver := w.Run(app)
	if app.Status.Executors.Wanted != 3 {
		t.Errorf("wants %d executors, want 3: %s", app.Status.Executors.Wanted, harness.Show(app))
	}
	w.Kubelet.Executors(t.Context(), driver, 3)
	next := w.Apply("next", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](1) })
	waits(t, next, "WaitingForQuota", "memory")
}

// TestManyWait: two hundred applications in line cost the API server nothing while they wait: when one comes to its turn, no other is
// written.
func TestManyWait(t *testing.T) {
	t.Parallel()
	const many = 200
	w := harness.NewWorld(t, "3Gi", nil)
	network := operator.Use(t)
	running := w.Apply("first")
	w.Run(running)
	var applying sync.WaitGroup
	for worker := range 10 {
		applying.Go(func() {
			for i := range many / 10 {
				app := w.Pi(fmt.Sprintf("app-%d-%d", worker, i))
				if err := env.Client().Create(context.Background(), app); err != nil {
					t.Errorf("create %s: %v", app.Name, err)
				}
			}
		})
	}
	applying.Wait()
	counted(t, w.Queue, 1, many)
	if len(w.Queue.Status.Heads) != 20 {
		t.Errorf("the queue shows %d heads, want 20", len(w.Queue.Status.Heads))
	}
	all := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace}}
	for worker := range 10 {
		for i := range many / 10 {
			all.Name = fmt.Sprintf("app-%d-%d", worker, i)
			harness.Eventually(t, all, "in line", harness.InStage("Queued"))
		}
	}
	before := len(network.Touching(w.Namespace + "/sparkapplications/"))
	touched := map[string]bool{}
	for range 3 {
		next := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Queue.Status.Heads[0].Name}}
		touched[running.Name], touched[next.Name] = true, true
		finish(t, w, running)
		w.Run(next)
		harness.Eventually(t, w.Queue, "moved on", func(q *v1alpha1.SparkQueue) bool {
			return q.Status.Heads[0].Name != next.Name && q.Status.Admitted == 1
		})
		running = next
	}
	for _, line := range network.Touching(w.Namespace + "/sparkapplications/")[before:] {
		name := strings.Split(line[strings.Index(line, "/sparkapplications/")+len("/sparkapplications/"):], "/")[0]
		if !touched[name] {
			t.Errorf("an application that only waits was written: %s", line)
		}
	}
}
