// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestNameTaken: the name of a run belongs to an application that a user has created. That run is passed over, the next one is not.
func TestNameTaken(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", nil)
	next, err := time.Parse(time.RFC3339, s.Status.NextRunTime)
	if err != nil {
		t.Fatal(err)
	}
	taken := w.Apply("nightly-"+minutes(next), func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.pass(s, 2*day)
	w.becomes(s, "run once", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 1 && len(s.Status.Missed) == 1 && s.Status.Missed[0].Reason == v1alpha1.MissedNameTaken
	})
	if want := "nightly-" + minutes(next.Add(day)); s.Status.Active[0] != want {
		t.Errorf("active is %v, want %s", s.Status.Active, want)
	}
	w.Reach(taken, "Suspended")
}

// policy refuses all applications of a namespace.
const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAME}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [sparkgate.io], apiVersions: ["*"], operations: [CREATE], resources: [sparkapplications]}]
  validations: [{expression: "false", message: the cluster is closed}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME}
spec:
  policyName: NAME
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}}
`

// TestRefusedUntilTheNextRun: a run that the API server refuses is tried again until the next one is due, and is missed then: when the reason
// ends, the last one starts, and not all that were due meanwhile. It is the same while a run is asked for that is refused as well.
func TestRefusedUntilTheNextRun(t *testing.T) {
	w := newWorld(t)
	allow := func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyAllow }
	s, asked := w.apply("nightly", allow), w.apply("asked", allow)
	first := w.next(s)
	manifest := strings.ReplaceAll(policy, "NAME", w.Namespace)
	kubectl := func(verb string) {
		if out, err := env.KubectlWith(t, manifest, verb, "-f", "-"); err != nil {
			t.Fatal(out, err)
		}
	}
	kubectl("apply")
	w.refusedBy(w.Pi("probe"), "the cluster is closed")
	w.annotate(asked, "reconcile.fluxcd.io/requestedAt", "reconcile.fluxcd.io/forceAt")
	request := tick.RequestedName("asked", asked.Annotations["reconcile.fluxcd.io/forceAt"])
	w.becomes(asked, "refused", refusedAs(request))
	w.pass(s, first.Sub(w.clock.Now())+time.Second)
	w.becomes(s, "refused", refusedAs("nightly-"+minutes(first)))
	w.annotate(asked, "example.org/look")
	w.becomes(asked, "refused", refusedAs("asked-"+minutes(first)))
	w.pass(s, 2*day)
	w.annotate(asked, "example.org/look")
	for _, one := range []*v1alpha1.ScheduledSparkApplication{s, asked} {
		w.becomes(one, "missed twice", func(s *v1alpha1.ScheduledSparkApplication) bool {
			return len(s.Status.Missed) == 1 && s.Status.Missed[0].Reason == v1alpha1.MissedCreateFailed && s.Status.Missed[0].Count == 2
		})
	}
	kubectl("delete")
	last := first.Add(2 * day)
	w.hasRun(s, last)
	w.becomes(asked, "run as it was asked to", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.LastHandledForceAt != "" })
	var names []string
	for _, app := range w.children() {
		names = append(names, app.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"asked-" + minutes(last), request, "nightly-" + minutes(last)}, names); diff != "" {
		t.Errorf("applications: want those of the last time, and the one that was asked for (-want +got):\n%s", diff)
	}
}

// refusedAs returns a condition for a schedule of which nothing is missed, and whose application of that name cannot be created.
func refusedAs(name string) func(*v1alpha1.ScheduledSparkApplication) bool {
	return func(s *v1alpha1.ScheduledSparkApplication) bool {
		ready := condition(s, "Ready")
		return ready.Reason == "CreateFailed" && strings.Contains(ready.Message, name) && strings.Contains(ready.Message, "the cluster is closed") && len(s.Status.Missed) == 0
	}
}

// annotate gives annotations a new value, which has the operator look.
func (w *world) annotate(s *v1alpha1.ScheduledSparkApplication, keys ...string) {
	w.t.Helper()
	value := time.Now().Format(time.RFC3339Nano)
	harness.Change(w.t, s, func(s *v1alpha1.ScheduledSparkApplication) {
		for _, key := range keys {
			metav1.SetMetaDataAnnotation(&s.ObjectMeta, key, value)
		}
	})
}

// TestReplace: a run that is due deletes the one before it, and begins once that is gone.
func TestReplace(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyReplace })
	w.pass(s, day)
	w.becomes(s, "run once", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	first := &w.children()[0]
	w.Run(first)
	w.pass(s, day)
	harness.Gone(t, first)
	w.becomes(s, "run again", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 1 && s.Status.Active[0] != first.Name
	})
	if all := w.children(); len(all) != 1 {
		t.Errorf("%d applications, want 1", len(all))
	}
}

// TestHistory: applications that have ended are deleted beyond the limits, the oldest first, but not one that is to be kept.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) {
		one := int32(1)
		s.Spec.SuccessfulHistoryLimit = &one
	})
	var names []string
	for i := range 3 {
		w.pass(s, day)
		w.becomes(s, "run", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
		names = append(names, s.Status.Active[0])
		app := w.child(names[i])
		if i == 0 {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Annotations[v1alpha1.KeepAnnotation] = "true" })
		}
		w.Succeed(app)
		w.becomes(s, "done", func(s *v1alpha1.ScheduledSparkApplication) bool {
			return s.Status.ActiveCount == 0 && s.Status.LastSuccessfulRun.Name == names[i]
		})
	}
	harness.Gone(t, w.child(names[1]))
	var left []string
	for _, app := range w.children() {
		left = append(left, app.Name)
	}
	if got, want := strings.Join(left, " "), names[0]+" "+names[2]; got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
}

// child returns an application by its name.
func (w *world) child(name string) *v1alpha1.SparkApplication {
	app := w.Pi(name)
	app.Spec = v1alpha1.SparkApplicationSpec{}
	return app
}

// TestCannotStart: an application that its namespace no longer allows forbids no other run. It is gone before the next one exists, so a
// correction starts one of them.
func TestCannotStart(t *testing.T) {
	w := newWorld(t)
	allow := func(queues string) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
		harness.Change(t, namespace, func(n *corev1.Namespace) {
			metav1.SetMetaDataAnnotation(&n.ObjectMeta, v1alpha1.AllowedQueuesAnnotation, queues)
		})
	}
	allow("another")
	s := w.apply("nightly", nil)
	first := w.next(s)
	for superseded, at := range []time.Time{first, first.Add(day)} {
		w.clock.Advance(at.Sub(w.clock.Now()) + time.Second)
		w.hasRun(s, at)
		w.becomes(s, "told that it failed", func(s *v1alpha1.ScheduledSparkApplication) bool {
			missed := len(s.Status.Missed) == superseded && (superseded == 0 || s.Status.Missed[0].Reason == v1alpha1.MissedSuperseded && s.Status.Missed[0].Count == 1)
			return s.Status.ActiveCount == 0 && s.Status.LastFailedRun != nil && s.Status.LastFailedRun.Name == "nightly-"+minutes(at) && missed
		})
	}
	if all := w.children(); len(all) != 1 || all[0].Name != "nightly-"+minutes(first.Add(day)) {
		t.Errorf("%d applications, want the last one alone", len(all))
	}
	allow(w.Queue.Name)
	w.becomes(s, "running", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	w.Run(&w.children()[0])
}
