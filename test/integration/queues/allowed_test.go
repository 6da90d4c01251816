// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// invalid waits until an application is refused with a message that has all the words, and holds nothing.
func invalid(t *testing.T, app *v1alpha1.SparkApplication, words ...string) {
	t.Helper()
	harness.Eventually(t, app, "refused with "+strings.Join(words, ", "), func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "InvalidSpec" && hasAll(harness.Message(a), words) && a.Status.Grant == nil
	})
}

// by sets the gate of an application that has a queue.
func by(name v1alpha1.GateType) func(*v1alpha1.SparkApplication) {
	return func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Gate = name }
}

// TestAllowedGates: without a word of an administrator no tenant gets round the queues by the gate None; the annotation of the namespace
// lets in who waits for it.
func TestAllowedGates(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{AllowedGates: controllers.AllGatesButNone()})
	app := w.Apply("pi", by(v1alpha1.GateNone))
	invalid(t, app, `spec.queue.gate: gate "None" is not allowed in namespace `+w.Namespace, "Embedded, Kueue, Volcano, YuniKorn", v1alpha1.AllowedGatesAnnotation)
	annotate(t, w.Namespace, v1alpha1.AllowedGatesAnnotation, "None")
	w.Succeed(app)
	embedded := w.Apply("embedded", by(v1alpha1.GateEmbedded))
	invalid(t, embedded, `gate "Embedded" is not allowed`, `use one of "None"`)
	annotate(t, w.Namespace, v1alpha1.DefaultGateAnnotation, "None")
	w.Succeed(embedded)
	unnamed := w.Apply("unnamed", by(""))
	invalid(t, unnamed, "annotation sparkgate.io/default-gate of namespace "+w.Namespace+`: gate "None" is not allowed`)
}

// TestAllowedQueues: a namespace that has a list uses no other queue, whether the application names it or the namespace's default does; the
// shipped queue without limits is one of those others.
func TestAllowedQueues(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	open := harness.Queue(t, w.Namespace+"-open", "", "")
	annotate(t, w.Namespace, v1alpha1.AllowedQueuesAnnotation, w.Queue.Name)
	app := w.Apply("pi", in(open))
	invalid(t, app, `spec.queue.name: queue "`+open.Name+`" is not allowed in namespace `+w.Namespace, `use one of "`+w.Queue.Name+`"`, v1alpha1.AllowedQueuesAnnotation)
	harness.Change(t, app, in(w.Queue))
	w.Succeed(app)

	unnamed := w.Apply("unnamed", func(a *v1alpha1.SparkApplication) { a.Spec.Queue = nil })
	invalid(t, unnamed, `spec.queue.name (the default): queue "default" is not allowed`)
	annotate(t, w.Namespace, v1alpha1.DefaultQueueAnnotation, open.Name)
	w.Succeed(unnamed)
}

// TestAllowedWhileWaiting: the list counts for those that wait already.
func TestAllowedWhileWaiting(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
	harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	app := w.Apply("pi")
	waits(t, app, "QueueHeld")
	annotate(t, w.Namespace, v1alpha1.AllowedQueuesAnnotation, "another")
	invalid(t, app, `queue "`+w.Queue.Name+`" is not allowed`, `use one of "another"`)
	counted(t, w.Queue, 0, 0)
}

// TestUnlimitedQueue: a guarded namespace uses a queue without limits only where an administrator names it: in the namespace's list, or by a
// selector that picks it out.
func TestUnlimitedQueue(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	label(t, w.Namespace, v1alpha1.GuardedLabel, "true")
	app := w.Apply("pi")
	waits(t, app, "NamespaceNotAllowed", w.Queue.Name, "has no limits", "allowed queues")
	annotate(t, w.Namespace, v1alpha1.AllowedQueuesAnnotation, w.Queue.Name)
	w.Succeed(app)

	annotate(t, w.Namespace, "nothing", "here")
	second := w.Apply("second")
	waits(t, second, "NamespaceNotAllowed", "has no limits")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.Namespace}}
	})
	w.Succeed(second)

	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.NamespaceSelector = &metav1.LabelSelector{} })
	harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	third := w.Apply("third")
	waits(t, third, "NamespaceNotAllowed", "has no limits")
	setMemory(t, w.Queue, "3Gi")
	w.Succeed(third)
}

// TestPriorityClassNames: who is served first is for the queue to say, by whatever field the class is named; a list that grows lets in who was
// refused.
func TestPriorityClassNames(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	harness.Create(t, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-high"}, Value: 1000})
	named := func(class string) func(*v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = class }
	}
	app := w.Apply("pi", named("system-node-critical"))
	invalid(t, app, `spec.queue.priorityClassName: priority class "system-node-critical" is not allowed in queue `+w.Queue.Name, `does not begin with "system-"`)
	harness.Change(t, app, named(w.Namespace+"-high"))
	w.Succeed(app)

	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.PriorityClassNames = []string{"low"} })
	harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	second := w.Apply("second", named(w.Namespace+"-high"))
	invalid(t, second, `-high" is not allowed`, `use one of "low"`)
	template := w.Apply("template", func(a *v1alpha1.SparkApplication) {
		a.Spec.Executor.Template = &runtime.RawExtension{Raw: []byte(`{"spec":{"priorityClassName":"` + w.Namespace + `-high"}}`)}
	})
	invalid(t, template, `spec.executor.template.spec.priorityClassName: priority class`, `-high" is not allowed`)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.PriorityClassNames = []string{"low", w.Namespace + "-high"} })
	w.SucceedAll(second, template)
}
