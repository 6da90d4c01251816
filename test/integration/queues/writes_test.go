// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// crowd is how many applications wait.
const crowd = 1000

// TestWaitingCostsNoWrites: a thousand applications wait for ten minutes, are looked at again and again, and nothing is written. When
// quota is released, only those are written that release and take it.
//
// It has an operator of its own, whose clock goes ahead, so it is not parallel.
func TestWaitingCostsNoWrites(t *testing.T) {
	clock, network := &harness.Clock{}, harness.NewNetwork(nil)
	w := harness.NewWorld(t, "3Gi", nil)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.HeadTimeout = &metav1.Duration{Duration: time.Hour} }) // what is reserved is said
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap, Clock: clock})
	holder := w.Apply("holder")
	w.Run(holder)
	namespace := applyCrowd(t, w.Queue)
	counted(t, w.Queue, 1, crowd)
	line := inLine(t, namespace)
	headed(t, w.Queue, line)

	before := network.Log()
	for round := range 11 {
		if round == 1 {
			before = network.Log() // the first minute lets the last counts be written
		}
		clock.Advance(time.Minute)
		applications, queues := passes(t, "application"), passes(t, "queue")
		touch(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
		touch(t, w.Queue)
		passed(t, "application", applications+crowd)
		passed(t, "queue", queues+1)
	}
	if written := network.Log()[len(before):]; len(written) > 0 {
		t.Errorf("%d writes, although nothing changes: %q", len(written), written[:min(len(written), 10)])
	}

	finish(t, w, holder)
	next := line[0].DeepCopy()
	w.Driver(next)
	headed(t, w.Queue, line[1:])
	for _, write := range network.Log()[len(before):] {
		if strings.Contains(write, "/sparkapplications/crowd-") && !strings.Contains(write, next.Name) {
			t.Errorf("an application that goes on to wait is written: %s", write)
		}
	}
}

// applyCrowd makes the applications that wait, several at a time, and takes them away at the end of the test. They have a namespace of
// their own, in which no test looks at every version.
func applyCrowd(t *testing.T, queue *v1alpha1.SparkQueue) (namespace string) {
	t.Helper()
	namespace = env.Namespace(t)
	t.Cleanup(func() {
		err := env.Client().DeleteAllOf(context.Background(), &v1alpha1.SparkApplication{}, client.InNamespace(namespace))
		if err != nil {
			t.Errorf("delete those who wait: %v", err)
		}
	})
	names := make(chan string)
	errs := make(chan error, crowd)
	var makers sync.WaitGroup
	for range 8 {
		makers.Go(func() {
			for name := range names {
				if err := env.Client().Create(t.Context(), harness.Pi(namespace, name, queue.Name)); err != nil {
					errs <- err
				}
			}
		})
	}
	for i := range crowd {
		names <- fmt.Sprintf("crowd-%04d", i)
	}
	close(names)
	makers.Wait()
	if len(errs) > 0 {
		t.Fatalf("%d applications could not be made: %v", len(errs), <-errs)
	}
	return namespace
}

// inLine waits until the whole crowd says that it waits for quota, and returns it in the order in which it will get some.
func inLine(t *testing.T, namespace string) []v1alpha1.SparkApplication {
	t.Helper()
	list := &v1alpha1.SparkApplicationList{}
	err := wait.PollUntilContextTimeout(t.Context(), 250*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := env.Client().List(ctx, list, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		list.Items = slices.DeleteFunc(list.Items, func(app v1alpha1.SparkApplication) bool { return !isKeptOut(&app) })
		return len(list.Items) == crowd, nil
	})
	if err != nil {
		t.Fatalf("%d of %d wait: %v", len(list.Items), crowd, err)
	}
	slices.SortFunc(list.Items, func(a, b v1alpha1.SparkApplication) int {
		if !a.Status.Times.Queued.Equal(b.Status.Times.Queued) {
			return a.Status.Times.Queued.Compare(b.Status.Times.Queued.Time)
		}
		return strings.Compare(string(a.UID), string(b.UID))
	})
	return list.Items
}

func isKeptOut(app *v1alpha1.SparkApplication) bool {
	admitted := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition)
	return admitted != nil && admitted.Status == metav1.ConditionFalse && admitted.Reason == v1alpha1.WaitingForQuotaReason
}

// headed waits until the queue shows the first of a line.
func headed(t *testing.T, queue *v1alpha1.SparkQueue, line []v1alpha1.SparkApplication) {
	t.Helper()
	harness.Eventually(t, queue, "showing the first in line", func(q *v1alpha1.SparkQueue) bool {
		if len(q.Status.Heads) != 20 {
			return false
		}
		for i, head := range q.Status.Heads {
			if head.Name != line[i].Name {
				return false
			}
		}
		return true
	})
}

// touch gives the operator a reason to look at an object, and at those that depend on it, without any change that matters.
func touch[T client.Object](t *testing.T, obj T) {
	t.Helper()
	harness.Change(t, obj, func(o T) {
		labels := map[string]string{"looked-at": fmt.Sprint(o.GetResourceVersion())}
		for name, value := range o.GetLabels() {
			if name != "looked-at" {
				labels[name] = value
			}
		}
		o.SetLabels(labels)
	})
}

// passes returns how often a controller has looked at something.
func passes(t *testing.T, controller string) int {
	t.Helper()
	return int(harness.Measured(t, "controller_runtime_reconcile_total", "controller="+controller))
}

// passed waits until a controller has looked that often.
func passed(t *testing.T, controller string, count int) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return passes(t, controller) >= count, nil
	})
	if err != nil {
		t.Fatalf("the controller %s has looked %d times, want %d: %v", controller, passes(t, controller), count, err)
	}
}
