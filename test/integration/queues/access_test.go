// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// label sets or removes (empty) a label of a namespace, annotate an annotation.
func label(t *testing.T, namespace, key, value string) {
	t.Helper()
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, func(n *corev1.Namespace) {
		if n.Labels[key] = value; value == "" {
			delete(n.Labels, key)
		}
	})
}

func annotate(t *testing.T, namespace, key, value string) {
	t.Helper()
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, func(n *corev1.Namespace) {
		n.Annotations = map[string]string{key: value}
	})
}

// TestNamespaceSelector: an application of a namespace that the queue does not select names the selector in its message, and starts once the label is
// there, or the selector changes.
func TestNamespaceSelector(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.NamespaceSelector = nil })
	harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	app := w.Apply("pi")
	waits(t, app, "NamespaceNotAllowed", w.Queue.Name, "no namespaceSelector")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
	})
	waits(t, app, "NamespaceNotAllowed", w.Queue.Name, "team=a")
	label(t, w.Namespace, "team", "a")
	w.Run(app)

	second := w.Apply("second")
	waits(t, second, "WaitingForQuota")
	label(t, w.Namespace, "team", "")
	waits(t, second, "NamespaceNotAllowed", "team=a")
	finish(t, w, app)
	counted(t, w.Queue, 0, 1)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.NamespaceSelector = &metav1.LabelSelector{} })
	w.Succeed(second)
}

// TestMissingQueue: the application waits, says which queue is missing, and continues when it comes.
func TestMissingQueue(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	late := w.Namespace + "-late"
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = late })
	missing(t, app, "queue "+late, "does not exist")
	harness.Queue(t, late, "", "3Gi")
	w.Succeed(app)
}

// TestQueueIsDeleted: what runs continues, what waits says which queue is missing. Created again, the queue counts what still runs.
func TestQueueIsDeleted(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	running, waiting := w.Apply("running"), (*v1alpha1.SparkApplication)(nil)
	w.Run(running)
	waiting = w.Apply("waiting")
	waits(t, waiting, "WaitingForQuota")
	remove(t, w.Queue)
	missing(t, waiting, "queue "+w.Queue.Name, "does not exist")
	if harness.Eventually(t, running, "running", harness.InStage("Running")); running.Status.Grant == nil {
		t.Errorf("the running application lost its grant: %s", harness.Show(running))
	}
	again := harness.Queue(t, w.Queue.Name, "", "3Gi")
	counted(t, again, 1, 1)
	waits(t, waiting, "WaitingForQuota")
	finish(t, w, running)
	w.Succeed(waiting)
	counted(t, again, 0, 0)
}

// TestQueueIsDeletedForGood: what runs to its end without its queue leaves nothing behind.
func TestQueueIsDeletedForGood(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	child := harness.Queue(t, w.Namespace+"-child", w.Queue.Name, "3Gi")
	app := w.Apply("pi", in(child))
	w.Run(app)
	remove(t, child)
	counted(t, w.Queue, 1, 0)
	finish(t, w, app)
	w.Unused()
}

// TestDefaultQueue: an application that names no queue gets the one of its namespace's annotation, else the queue default.
func TestDefaultQueue(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	unnamed := func(a *v1alpha1.SparkApplication) { a.Spec.Queue = nil }
	app := w.Apply("pi", unnamed)
	missing(t, app, "spec.queue.name (the default): queue default does not exist")
	annotate(t, w.Namespace, v1alpha1.DefaultQueueAnnotation, w.Queue.Name)
	w.Succeed(app)
	if app.Status.Queue != w.Queue.Name {
		t.Errorf("ran in queue %q, want %q", app.Status.Queue, w.Queue.Name)
	}
	annotate(t, w.Namespace, "nothing", "here")
	fallback := harness.Queue(t, v1alpha1.DefaultQueue, "", "")
	second := w.Apply("second", unnamed)
	w.Succeed(second)
	if second.Status.Queue != fallback.Name {
		t.Errorf("ran in queue %q, want %q", second.Status.Queue, fallback.Name)
	}
	hint := func(a *v1alpha1.SparkApplication) bool {
		admitted := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.AdmittedCondition)
		return strings.Contains(admitted.Message, "it is in queue default, which has no limits")
	}
	if hint(app) || !hint(second) {
		t.Errorf("only the second one runs without limits because nothing names a queue: %s\n%s", harness.Show(app), harness.Show(second))
	}
}

// TestInnerQueue: only leaves take applications; the message lists them.
func TestInnerQueue(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	child := harness.Queue(t, w.Namespace+"-child", w.Queue.Name, "3Gi")
	harness.Eventually(t, child, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	app := w.Apply("pi")
	missing(t, app, "queue "+w.Queue.Name, "leaf queues", child.Name)
	remove(t, child)
	w.Succeed(app)
}
