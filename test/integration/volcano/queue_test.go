// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// side begins a test that runs beside others.
func side(t *testing.T, cpu string) *scene {
	t.Helper()
	t.Parallel()
	shared.Use(t)
	s := newScene(t, cpu)
	systems.Node(t, env.Client(), s.Namespace, "32", "64Gi")
	operator.Use(t)
	return s
}

// TestWaitsForTheQueue: the second application waits, without a pod, until the first one is gone; its group goes with it.
func TestWaitsForTheQueue(t *testing.T) {
	s := side(t, "1")
	first := s.apply("first")
	driver := s.run(first)
	group := s.group(driver)
	if group.Spec.MinMember != 1 || group.Spec.Queue != s.Namespace || !metav1.IsControlledBy(group, first) {
		t.Errorf("group: %+v, owned by %+v", group.Spec, group.OwnerReferences)
	}
	if cpu := (*group.Spec.MinResources)["cpu"]; cpu.Cmp(resource.MustParse("600m")) != 0 {
		t.Errorf("the group asks for cpu %s, want that of the whole gang", cpu.String())
	}
	if driver.Annotations[v1beta1.PodPreemptable] != "false" {
		t.Errorf("the driver may be preempted: %v", driver.Annotations)
	}
	for _, executor := range s.executors(driver, 1, 2) {
		if s.placed(executor); s.group(executor).UID != group.UID {
			t.Errorf("executor %s is in another group", executor.Name)
		}
	}
	second := s.apply("second")
	s.waits(second, v1alpha1.WaitingForQuotaReason, s.Namespace, "cpu 600m", "Pending")
	s.finish(first)
	s.run(second)
	s.groups(first, 0)
	s.groups(second, 1)
	s.finish(second)
	s.groups(second, 0)
}

// TestQueueCannotTakeIt: what is wrong with the queue is reported, and the application continues when that is corrected.
func TestQueueCannotTakeIt(t *testing.T) {
	s := side(t, "500m")
	app := s.apply("app", func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = s.Namespace + "-later" })
	harness.Eventually(t, app, "missing its queue", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.ReferenceNotFoundReason
	})
	openQueue(t, s.volcano, s.Namespace+"-later", "1")
	s.run(app)
	s.finish(app)

	large := s.apply("large")
	s.Reach(large, v1alpha1.ExceedsQuotaReason)
	s.waits(large, v1alpha1.ExceedsQuotaReason, "cpu 600m", "500m")
	s.groups(large, 0)
	s.changeQueue(func(q *v1beta1.Queue) { q.Spec.Capability["cpu"] = resource.MustParse("1") })
	s.run(large)
	s.finish(large)
}

// TestClosedQueue: a queue that is closed takes nothing new, and what runs continues.
func TestClosedQueue(t *testing.T) {
	s := side(t, "2")
	running := s.apply("running")
	s.run(running)
	s.changeQueue(func(q *v1beta1.Queue) { q.Status.State = v1beta1.QueueStateClosed })
	app := s.apply("app")
	s.waits(app, v1alpha1.QueueHeldReason, "Clos")
	s.finish(running)
	s.changeQueue(func(q *v1beta1.Queue) { q.Status.State = v1beta1.QueueStateOpen })
	s.run(app)
	s.finish(app)
}

// changeQueue writes the queue back, changed, with its status.
func (s *scene) changeQueue(change func(*v1beta1.Queue)) {
	s.t.Helper()
	env.UntilWithin(s.t, patience, "the queue is changed", func() (bool, error) {
		queue := &v1beta1.Queue{}
		if err := s.volcano.Get(s.t.Context(), types.NamespacedName{Name: s.Namespace}, queue); err != nil {
			return false, err
		}
		change(queue)
		status := queue.Status
		if err := s.volcano.Update(s.t.Context(), queue); err != nil {
			return false, nil
		}
		queue.Status = status
		return s.volcano.Status().Update(s.t.Context(), queue) == nil, nil
	})
}

// TestDoesNotWaitIfConfigured: the driver is created while the queue is full, and waits as a pod: that is what makes nodes come.
func TestDoesNotWaitIfConfigured(t *testing.T) {
	s := side(t, "1")
	first := s.apply("first")
	s.run(first)
	no := false
	second := s.apply("second", func(app *v1alpha1.SparkApplication) {
		app.Spec.Queue.Volcano = &v1alpha1.VolcanoOptions{WaitForInqueue: &no}
	})
	driver := s.Driver(second)
	if c := apimeta.FindStatusCondition(second.Status.Conditions, v1alpha1.AdmittedCondition); c == nil || c.Reason != v1alpha1.DelegatedToSchedulerReason {
		t.Errorf("Admitted: %+v", c)
	}
	if driver.Spec.NodeName != "" || s.group(driver).Status.Phase == v1beta1.PodGroupInqueue {
		t.Errorf("there was room for the second: %+v", s.group(driver).Status)
	}
	s.finish(first)
	s.run(second)
	s.finish(second)
}

// TestEveryAttemptHasItsGroup: a failed attempt leaves none behind while the next one has to wait.
func TestEveryAttemptHasItsGroup(t *testing.T) {
	s := side(t, "1")
	app := s.apply("app", retried)
	driver := s.run(app)
	first := s.group(driver)
	s.Kubelet.Finish(t.Context(), driver, 1, "Error")
	s.Reach(app, v1alpha1.AttemptFailedReason)
	s.groups(app, 0)
	driver = s.run(app)
	if second := s.group(driver); second.Name == first.Name {
		t.Errorf("both attempts have group %s", second.Name)
	}
	s.finish(app)
}

// TestSuspendedHasNoGroup, queued or running.
func TestSuspendedHasNoGroup(t *testing.T) {
	s := side(t, "1")
	running, queued := s.apply("running"), s.apply("queued", suspended)
	driver := s.run(running)
	harness.Change(t, queued, resumed)
	s.waits(queued, v1alpha1.WaitingForQuotaReason)
	s.groups(queued, 1)
	harness.Change(t, queued, suspended)
	s.groups(queued, 0)
	harness.Change(t, running, suspended)
	harness.Gone(t, driver)
	s.Reach(running, v1alpha1.SuspendedReason)
	s.groups(running, 0)
	harness.Change(t, running, resumed)
	s.run(running)
	s.finish(running)
}

// TestEditedWhileItWaits: Volcano orders groups by their creation, whatever they are changed to later. So the group of one that asks for more is
// created again.
func TestEditedWhileItWaits(t *testing.T) {
	s := side(t, "1")
	first := s.apply("first")
	s.run(first)
	edited := s.apply("edited", func(a *v1alpha1.SparkApplication) { a.Spec.OnTemplateChange = v1alpha1.TemplateChangeIgnore })
	s.waits(edited, v1alpha1.WaitingForQuotaReason)
	before := s.groupOf(edited)
	harness.Eventually(t, edited, "older than this second, in which ages count", func(*v1alpha1.SparkApplication) bool {
		return time.Now().Truncate(time.Second).After(before.CreationTimestamp.Time)
	})
	harness.Change(t, edited, func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](3) })
	env.UntilWithin(t, patience, "the group is another one, with more", func() (bool, error) {
		after := s.groupOf(edited)
		return after != nil && after.UID != before.UID && after.Spec.MinResources.Cpu().MilliValue() == 800, nil
	})
	s.waits(edited, v1alpha1.WaitingForQuotaReason)
	s.finish(first)
	s.run(edited)
	s.finish(edited)
}

// groupOf returns the one group of an application; nil if it has none now.
func (s *scene) groupOf(app *v1alpha1.SparkApplication) *v1beta1.PodGroup {
	s.t.Helper()
	list := &v1beta1.PodGroupList{}
	if err := s.volcano.List(s.t.Context(), list, client.InNamespace(s.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(app.UID)}); err != nil {
		s.t.Fatal(err)
	}
	if len(list.Items) != 1 {
		return nil
	}
	return &list.Items[0]
}

func suspended(app *v1alpha1.SparkApplication) { app.Spec.Suspend = true }
func resumed(app *v1alpha1.SparkApplication)   { app.Spec.Suspend = false }

// TestDeletedWhileQueued: nothing is left, and nothing waits for what is gone.
func TestDeletedWhileQueued(t *testing.T) {
	s := side(t, "1")
	first, second := s.apply("first"), s.apply("second", suspended)
	s.run(first)
	harness.Change(t, second, resumed)
	s.waits(second, v1alpha1.WaitingForQuotaReason)
	if err := env.Client().Delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, second)
	s.groups(second, 0)
	s.finish(first)
}

// TestGroupDeletedInMidRun: the pods go on, the group is created again, which an event reports, and executors that come later are placed.
func TestGroupDeletedInMidRun(t *testing.T) {
	s := side(t, "1")
	app := s.apply("app")
	driver := s.run(app)
	group := s.group(driver)
	if err := s.volcano.Delete(t.Context(), group); err != nil {
		t.Fatal(err)
	}
	env.UntilWithin(t, patience, "the group is there again", func() (bool, error) {
		again := &v1beta1.PodGroup{}
		err := s.volcano.Get(t.Context(), client.ObjectKeyFromObject(group), again)
		return err == nil && again.UID != group.UID, client.IgnoreNotFound(err)
	})
	for _, executor := range s.executors(driver, 1, 2) {
		s.placed(executor)
	}
	told(t, app, "ObjectRestored", group.Name)
	if harness.Stage(app) != v1alpha1.RunningReason || len(app.Status.Attempts) != 0 {
		t.Errorf("the run did not go on: %s", harness.Show(app))
	}
	s.finish(app)
	s.groups(app, 0)
}

// TestGroupEditedInMidRun: what the group reserves is set back, which an event reports.
func TestGroupEditedInMidRun(t *testing.T) {
	s := side(t, "1")
	app := s.apply("app")
	driver := s.run(app)
	group := s.group(driver)
	edited := group.DeepCopy()
	edited.Spec.MinMember, edited.Spec.MinResources = 5, &corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Mi")}
	if err := s.volcano.Patch(t.Context(), edited, client.MergeFrom(group)); err != nil {
		t.Fatal(err)
	}
	env.UntilWithin(t, patience, "the group is as it was", func() (bool, error) {
		again := &v1beta1.PodGroup{}
		err := s.volcano.Get(t.Context(), client.ObjectKeyFromObject(group), again)
		return err == nil && again.Spec.MinMember == 1 && equality.Semantic.DeepEqual(again.Spec.MinResources, group.Spec.MinResources), err
	})
	told(t, app, "ObjectRestored", "spec of PodGroup "+group.Name+" was changed")
	for _, executor := range s.executors(driver, 1, 2) {
		s.placed(executor)
	}
	s.finish(app)
	s.groups(app, 0)
}

// TestNameIsTaken: a group of another client is not touched; the attempt waits until it is gone.
func TestNameIsTaken(t *testing.T) {
	s := side(t, "2")
	app := s.apply("app", retried)
	driver := s.run(app)
	name := strings.TrimSuffix(s.group(driver).Name, "-1-1") + "-1-2"
	other := &v1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}, Spec: v1beta1.PodGroupSpec{MinMember: 1, Queue: s.Namespace}}
	if err := s.volcano.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	s.Kubelet.Finish(t.Context(), driver, 1, "Error")
	s.waits(app, v1alpha1.WaitingForGateReason, name, "belongs to another owner")
	if err := s.volcano.Delete(t.Context(), other); err != nil {
		t.Fatalf("the group of somebody else is gone: %v", err)
	}
	s.run(app)
	s.finish(app)
}

// retried lets another attempt follow a failed one soon.
func retried(app *v1alpha1.SparkApplication) {
	app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, Backoff: &v1alpha1.Backoff{Initial: &metav1.Duration{Duration: 3 * time.Second}}}
}

// TestAnotherSchedulerIsRefused: pods that another scheduler is to place contradict the gate, also where the namespace names it.
func TestAnotherSchedulerIsRefused(t *testing.T) {
	s := side(t, "1")
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}}, func(n *corev1.Namespace) {
		n.Annotations = map[string]string{v1alpha1.DefaultGateAnnotation: "Volcano"}
	})
	app := s.Apply("app", func(app *v1alpha1.SparkApplication) {
		app.Spec.SparkConf = map[string]string{"spark.kubernetes.scheduler.name": "mine"}
	})
	s.Reach(app, v1alpha1.InvalidSpecReason)
	for _, word := range []string{"spec.sparkConf[spark.kubernetes.scheduler.name]", `"mine"`, "gate Volcano"} {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message has no %s: %s", word, harness.Message(app))
		}
	}
	harness.Change(t, app, func(app *v1alpha1.SparkApplication) { app.Spec.SparkConf = nil })
	s.run(app)
	s.finish(app)
}

// told waits for an event about an application that has the word.
func told(t *testing.T, app *v1alpha1.SparkApplication, reason, word string) {
	t.Helper()
	env.UntilWithin(t, patience, "there is an event "+reason, func() (bool, error) {
		list := &eventsv1.EventList{}
		err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace))
		for i := range list.Items {
			if e := &list.Items[i]; e.Regarding.UID == app.UID && e.Reason == reason && strings.Contains(e.Note, word) {
				return true, nil
			}
		}
		return false, err
	})
}
