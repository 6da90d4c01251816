// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// world is a schedule that has run every ten minutes since noon, and its reconciler. Applications whose names are in
// refused cannot be created.
type world struct {
	*testing.T
	client.Client
	reconciler *Reconciler
	clock      *clocktesting.FakePassiveClock
	refused    func(name string) bool
	// answer is the API server's answer to refused applications; nil stands for an exhausted ResourceQuota.
	answer error
	// vanish makes another client delete each application right after its creation. creates counts creations.
	vanish  bool
	creates int
	events  <-chan string
	// notified are the reasons of the warnings that were sent to other systems.
	notified []string
}

func (w *world) NotifySchedule(_ *v1alpha1.ScheduledSparkApplication, reason, _ string) {
	w.notified = append(w.notified, reason)
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T, change func(*v1alpha1.ScheduledSparkApplication), others ...client.Object) *world {
	t.Helper()
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-a", Name: "nightly", UID: "a1", CreationTimestamp: metav1.NewTime(noon), Annotations: map[string]string{},
	}}
	s.Spec.Schedule, s.Spec.ConcurrencyPolicy = "*/10 * * * *", v1alpha1.ConcurrencyAllow
	s.Spec.Template.Spec.Raw = []byte(`{"type":"Python","sparkVersion":"4.1.4","image":"spark","mainApplicationFile":"local:///pi.py"}`)
	change(s)
	w := &world{T: t, clock: clocktesting.NewFakePassiveClock(noon), refused: func(string) bool { return false }}
	c := interceptor.NewClient(clientWith(t, append(others, s)...).(client.WithWatch), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if w.refused(o.GetName()) && w.answer != nil {
				return w.answer
			}
			if w.refused(o.GetName()) {
				return apierrors.NewForbidden(v1alpha1.GroupVersion.WithResource("sparkapplications").GroupResource(), o.GetName(), errors.New("exceeded quota"))
			}
			if err := c.Create(ctx, o, opts...); err != nil || !w.vanish {
				return err
			}
			w.creates++
			return c.Delete(ctx, o)
		},
	})
	w.Client = c
	recorder := events.NewFakeRecorder(1000)
	w.events = recorder.Events
	w.reconciler = New(Options{
		Series: metricseries.New(Series()...),
		Client: c, Live: c, Recorder: recorder, Notifier: w, Clock: w.clock, Ready: func(context.Context) error { return nil },
	})
	return w
}

// until reconciles whenever the reconciler wants to, until a time on the first of January.
func (w *world) until(clock string) *v1alpha1.ScheduledSparkApplication {
	w.Helper()
	end, err := time.Parse("2006-01-02 15:04", "2026-01-01 "+clock)
	if err != nil {
		w.Fatal(err)
	}
	for looks := 0; ; looks++ {
		if looks > 1000 {
			w.Fatal("does not come to rest")
		}
		result := w.once()
		next := w.clock.Now().Add(result.RequeueAfter)
		if result.RequeueAfter == 0 || next.After(end) {
			w.clock.SetTime(end)
			break
		}
		w.clock.SetTime(next)
	}
	s := &v1alpha1.ScheduledSparkApplication{}
	if err := w.Get(w.Context(), client.ObjectKey{Namespace: "team-a", Name: "nightly"}, s); err != nil {
		w.Fatal(err)
	}
	return s
}

// once reconciles once.
func (w *world) once() ctrl.Result {
	w.Helper()
	result, err := w.reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "team-a", Name: "nightly"}})
	if err != nil {
		w.Fatal(err)
	}
	return result
}

// names returns the names of all applications.
func (w *world) names() []string {
	w.Helper()
	list := &v1alpha1.SparkApplicationList{}
	if err := w.List(w.Context(), list); err != nil {
		w.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

func (w *world) has(what string, want ...string) {
	w.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, w.names()); diff != "" {
		w.Errorf("applications %s (-want +got):\n%s", what, diff)
	}
}

func asked(s *v1alpha1.ScheduledSparkApplication) {
	s.Annotations["reconcile.fluxcd.io/requestedAt"], s.Annotations["reconcile.fluxcd.io/forceAt"] = "now", "now"
}

var (
	requested = tick.RequestedName("nightly", "now")
	at        = func(minute int) string { return tick.Name("nightly", noon.Add(time.Duration(minute)*time.Minute)) }
)

// TestRefusedRequest: a requested run that cannot be created does not keep the schedule from running. Due runs are
// still tried, and missed when the next one is due.
func TestRefusedRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asked)
	w.refused = func(string) bool { return true }
	s := w.until("12:35")
	w.has("while the quota is used up")
	if m := s.Status.Missed; len(m) != 1 || m[0].Reason != v1alpha1.MissedCreateFailed || m[0].Count != 2 {
		t.Errorf("missed %+v, want two for CreateFailed", m)
	}
	if s.Status.LastHandledForceAt != "" {
		t.Errorf("the request counts as handled")
	}
	if !slices.Contains(w.notified, "CreateFailed") || !slices.Contains(w.notified, "MissedRun") {
		t.Errorf("notified of %v", w.notified)
	}
	w.refused = func(string) bool { return false }
	s = w.until("12:36")
	w.has("when there is quota again", requested, at(30))
	if s.Status.LastHandledForceAt != "now" {
		t.Errorf("the request counts as handled for %q", s.Status.LastHandledForceAt)
	}
}

// TestDeletedAtOnce: an application that another client deletes before it is recorded is not created again.
func TestDeletedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asked)
	w.vanish = true
	s := w.until("12:25")
	if w.creates != 3 || s.Status.LastRunTime != "2026-01-01T12:20:00Z" || s.Status.LastHandledForceAt != "now" {
		t.Errorf("%d created for a request and two times, the last run was at %s, the last request %q", w.creates, s.Status.LastRunTime, s.Status.LastHandledForceAt)
	}
}

// TestWebhookAway: the status says that a webhook does not answer. When it answers again, not all runs that were due
// meanwhile are started.
func TestWebhookAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) { s.Generation = 1 }) // its template was not checked yet
	w.refused, w.answer = func(string) bool { return true }, apierrors.NewInternalError(errors.New(`failed calling webhook "validate.kyverno.svc-fail": EOF`))
	s := w.until("12:35")
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready.Reason != "CreateFailed" || !strings.Contains(ready.Message, "validate.kyverno") {
		t.Errorf("Ready is %+v", ready)
	}
	w.refused = func(string) bool { return false }
	w.until("12:36")
	w.has("when it answers again", at(30))
}

// TestRequestRefusedAlone: only the requested name is refused. Due runs start on time, and the reason stays in the
// status.
func TestRequestRefusedAlone(t *testing.T) {
	t.Parallel()
	foreign := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: requested}}
	for name, others := range map[string][]client.Object{"quota": nil, "the name is taken": {foreign}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
				asked(s)
				s.Spec.StartingDeadline = &metav1.Duration{Duration: time.Second}
			}, others...)
			w.clock.SetTime(noon.Add(10*time.Minute - time.Second)) // a little before the first time
			w.refused = func(name string) bool { return others == nil && name == requested }
			s := w.until("12:20")
			want := []string{at(10), at(20)}
			if others != nil {
				want = append(want, requested)
			}
			w.has("although it is refused", want...)
			ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
			if len(s.Status.Missed) != 0 || ready.Reason != "CreateFailed" || !strings.Contains(ready.Message, requested) {
				t.Errorf("missed %+v, Ready %+v", s.Status.Missed, ready)
			}
		})
	}
}

// TestRequestRefusedAfterAnEdit: the status shows from when an edited schedule applies, also while a request is
// refused.
func TestRequestRefusedAfterAnEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
		asked(s)
		s.Status.Handled = &v1alpha1.HandledSchedule{Until: metav1.NewTime(noon.Add(-time.Hour)), Schedule: "0 0 * * *"}
	})
	w.refused = func(name string) bool { return name == requested }
	w.until("12:11")
	w.has("after the edit", at(10))
}

// TestRequestOrphaned: an application that was requested of an earlier schedule of the same name and left behind counts
// as the requested run.
func TestRequestOrphaned(t *testing.T) {
	t.Parallel()
	orphan := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-a", Name: requested, Labels: map[string]string{v1alpha1.ScheduleLabel: "nightly"},
	}}
	w := newWorld(t, asked, orphan)
	if s := w.until("12:01"); s.Status.LastHandledForceAt != "now" {
		t.Errorf("the request is not handled: %+v", s.Status.Conditions)
	}
}
