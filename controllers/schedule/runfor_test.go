// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// asksFor returns a change that requests past times.
func asksFor(request string) func(*v1alpha1.ScheduledSparkApplication) {
	return func(s *v1alpha1.ScheduledSparkApplication) {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, v1alpha1.RunForAnnotation, request)
	}
}

// change changes the schedule as a user does.
func (w *world) change(change func(*v1alpha1.ScheduledSparkApplication)) {
	w.Helper()
	s := &v1alpha1.ScheduledSparkApplication{}
	if err := w.Get(w.Context(), client.ObjectKey{Namespace: "team-a", Name: "nightly"}, s); err != nil {
		w.Fatal(err)
	}
	change(s)
	if err := w.Update(w.Context(), s); err != nil {
		w.Fatal(err)
	}
}

// app returns an application.
func (w *world) app(name string) *v1alpha1.SparkApplication {
	w.Helper()
	app := &v1alpha1.SparkApplication{}
	if err := w.Get(w.Context(), client.ObjectKey{Namespace: "team-a", Name: name}, app); err != nil {
		w.Fatal(err)
	}
	return app
}

// ends lets an application succeed.
func (w *world) ends(name string) {
	w.Helper()
	app, now := w.app(name), metav1.NewTime(w.clock.Now())
	app.Status.ObservedGeneration = app.Generation
	app.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.FinishedCondition, Status: metav1.ConditionTrue, LastTransitionTime: now},
		{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionTrue, Reason: v1alpha1.SucceededReason, LastTransitionTime: now},
	}
	if err := w.Update(w.Context(), app); err != nil {
		w.Fatal(err)
	}
}

// becomes checks what has become of a request.
func becomes(t *testing.T, s *v1alpha1.ScheduledSparkApplication, want v1alpha1.RunForStatus) {
	t.Helper()
	want.Request = s.Annotations[v1alpha1.RunForAnnotation]
	if s.Status.RunFor == nil {
		t.Fatalf("nothing is recorded of %q", want.Request)
	}
	got := *s.Status.RunFor
	if want.Message != "" && strings.Contains(got.Message, want.Message) {
		got.Message = want.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what has become of %q (-want +got):\n%s", want.Request, diff)
	}
}

// reasons returns the reasons of the events until now.
func (w *world) reasons() []string {
	var all []string
	for {
		select {
		case event := <-w.events:
			all = append(all, strings.Fields(event)[1])
		default:
			return all
		}
	}
}

// TestPastTimes: two past times are run, oldest first and one after the other, as the applications of those times. The
// last run time is not theirs.
func TestPastTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid
		asksFor("2026-01-01T11:30 2026-01-01T11:20:00Z")(s)
	})
	s := w.until("12:01")
	w.has("at first", at(-40))
	becomes(t, s, v1alpha1.RunForStatus{Pending: []string{"2026-01-01T11:30:00Z"}, Created: 1})
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); !strings.Contains(ready.Message, "past time waits until "+at(-40)+" has finished, or is deleted") {
		t.Errorf("Ready is %+v", ready)
	}
	notes := w.app(at(-40)).Annotations
	if notes[v1alpha1.ScheduledForAnnotation] != "2026-01-01T11:20:00Z" || notes[v1alpha1.ScheduledDateAnnotation] != "2026-01-01" ||
		notes[v1alpha1.PreviousScheduledForAnnotation] != "2026-01-01T11:10:00Z" || notes[v1alpha1.RunForRequestAnnotation] != tick.RequestHash(s.Status.RunFor.Request) {
		t.Errorf("annotations %v", notes)
	}
	w.ends(at(-40))
	s = w.until("12:02")
	w.has("then", at(-40), at(-30))
	becomes(t, s, v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 2})
	if s.Status.LastRunTime != "" || s.Status.LastSuccessfulRun == nil || s.Status.LastSuccessfulRun.Name != at(-40) || len(s.Status.Missed) != 0 {
		t.Errorf("status %+v", s.Status)
	}
	if diff := cmp.Diff([]string{"Created", "Created"}, w.reasons()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestDuePastWaits: a run that is due waits for a requested one of the past, and comes before the next of these.
func TestDuePastWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid
		asksFor("2026-01-01T11:20 2026-01-01T11:30")(s)
	})
	w.until("12:15")
	w.has("while it runs", at(-40))
	w.ends(at(-40))
	w.until("12:16")
	w.has("when it has ended", at(-40), at(10))
	w.ends(at(10))
	if s := w.until("12:17"); len(s.Status.Missed) != 0 || s.Status.LastRunTime != "2026-01-01T12:10:00Z" {
		t.Errorf("missed %+v, last run %s", s.Status.Missed, s.Status.LastRunTime)
	}
	w.has("in the end", at(-40), at(10), at(-30))
}

// TestPastRefused: a mistake in a request is recorded and announced once, and nothing is created.
func TestPastRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asksFor("2026-01-01T11:25"))
	want := v1alpha1.RunForStatus{Result: v1alpha1.RunForRefused, Message: "2026-01-01T11:25:00Z is not a time of the schedule: choose 2026-01-01T11:20:00Z or 2026-01-01T11:30:00Z"}
	for _, clock := range []string{"12:01", "12:02"} {
		becomes(t, w.until(clock), want)
	}
	w.has("although it is refused")
	if diff := cmp.Diff([]string{"RunForRefused"}, w.reasons()); diff != "" || !slices.Equal(w.notified, []string{"RunForRefused"}) {
		t.Errorf("notified %v, events (-want +got):\n%s", w.notified, diff)
	}
	w.change(asksFor("2026-01-01T11:20"))
	becomes(t, w.until("12:03"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
	long := strings.Repeat("2026-01-01T11:20,", 1000)
	w.change(asksFor(long))
	s := w.until("12:04")
	if r := s.Status.RunFor; r.Result != v1alpha1.RunForRefused || r.Request != long[:4096] || !strings.Contains(r.Message, "name fewer times") {
		t.Errorf("of a long request became %+v", r)
	}
}

// TestPastExists: a time that has an application is skipped, even that of a user. When it is deleted, another
// request runs the time again, also if this process was the last to create it.
func TestPastExists(t *testing.T) {
	t.Parallel()
	foreign := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: at(-40)}}
	w := newWorld(t, asksFor("2026-01-01T11:20 2026-01-01T11:30"), foreign)
	becomes(t, w.until("12:01"), v1alpha1.RunForStatus{
		Result: v1alpha1.RunForSkipped, Created: 1, Skipped: []string{"2026-01-01T11:20:00Z"}, Message: "application " + at(-40) + " exists: delete it before the request",
	})
	w.change(asksFor("2026-01-01T11:30 #2"))
	becomes(t, w.until("12:02"), v1alpha1.RunForStatus{Result: v1alpha1.RunForSkipped, Skipped: []string{"2026-01-01T11:30:00Z"}, Message: "sparkctl rerun " + at(-30)})
	if err := w.Delete(t.Context(), w.app(at(-30))); err != nil {
		t.Fatal(err)
	}
	w.change(asksFor("2026-01-01T11:30 #3"))
	becomes(t, w.until("12:03"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
	w.has("in the end", at(-40), at(-30))
	if diff := cmp.Diff([]string{"Created", "RunForSkipped", "RunForSkipped", "Created"}, w.reasons()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestPastTextRepeated: a request with the text of an earlier one is another request. It skips a time whose application
// still exists, and runs one whose application was deleted.
func TestPastTextRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asksFor("2026-01-01T11:20"))
	withdraw := func(s *v1alpha1.ScheduledSparkApplication) { delete(s.Annotations, v1alpha1.RunForAnnotation) }
	w.until("12:01")
	w.change(withdraw)
	w.until("12:02")
	w.change(asksFor("2026-01-01T11:20"))
	becomes(t, w.until("12:03"), v1alpha1.RunForStatus{Result: v1alpha1.RunForSkipped, Skipped: []string{"2026-01-01T11:20:00Z"}, Message: "exists"})
	w.change(withdraw)
	w.until("12:04")
	if err := w.Delete(t.Context(), w.app(at(-40))); err != nil {
		t.Fatal(err)
	}
	w.change(asksFor("2026-01-01T11:20"))
	becomes(t, w.until("12:05"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
	w.has("in the end", at(-40))
}

// TestPastOfAnEarlierSchedule: the application of an earlier schedule of the same name does not count as the run. It is
// created when that one is gone.
func TestPastOfAnEarlierSchedule(t *testing.T) {
	t.Parallel()
	const request = "2026-01-01T11:20"
	for name, finished := range map[string]bool{"finished": true, "running": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			earlier := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "b2"}}
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
				Namespace: "team-a", Name: at(-40), Annotations: map[string]string{v1alpha1.RunForRequestAnnotation: tick.RequestHash(request)},
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(earlier, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))},
			}}
			w := newWorld(t, asksFor(request), app)
			if finished {
				w.ends(at(-40))
			}
			becomes(t, w.until("12:01"), v1alpha1.RunForStatus{Pending: []string{"2026-01-01T11:20:00Z"}})
			if err := w.Delete(t.Context(), w.app(at(-40))); err != nil {
				t.Fatal(err)
			}
			w.clock.SetTime(noon.Add(2 * time.Minute))
			becomes(t, w.until("12:03"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
			if !metav1.IsControlledBy(w.app(at(-40)), &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{UID: "a1"}}) {
				t.Errorf("owned by %+v", w.app(at(-40)).OwnerReferences)
			}
		})
	}
}

// TestPastRefusedByTheAPIServer: the time stays pending and is tried again, and what is due starts on time.
func TestPastRefusedByTheAPIServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asksFor("2026-01-01T11:20"))
	w.refused = func(name string) bool { return name == at(-40) }
	s := w.until("12:15")
	w.has("while it is refused", at(10))
	becomes(t, s, v1alpha1.RunForStatus{Pending: []string{"2026-01-01T11:20:00Z"}})
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready.Reason != "CreateFailed" || !strings.Contains(ready.Message, at(-40)) || len(s.Status.Missed) != 0 {
		t.Errorf("Ready %+v, missed %+v", ready, s.Status.Missed)
	}
	w.refused = func(string) bool { return false }
	becomes(t, w.until("12:16"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
}

// TestPastWithdrawn: what is pending is not run when the annotation is removed, and an event says so.
func TestPastWithdrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid
		asksFor("2026-01-01T11:20 2026-01-01T11:30 2026-01-01T11:40")(s)
	})
	w.until("12:01")
	w.change(func(s *v1alpha1.ScheduledSparkApplication) { delete(s.Annotations, v1alpha1.RunForAnnotation) })
	w.until("12:02")
	w.ends(at(-40))
	if s := w.until("12:03"); s.Status.RunFor != nil {
		t.Errorf("recorded is %+v", s.Status.RunFor)
	}
	w.has("in the end", at(-40))
	if diff := cmp.Diff([]string{"Created", "RunForWithdrawn"}, w.reasons()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestPastDeletedAtOnce: a past time is run once, although another client deletes its application before it is recorded.
func TestPastDeletedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asksFor("2026-01-01T11:20"))
	w.vanish = true
	becomes(t, w.until("12:05"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
	if w.creates != 1 {
		t.Errorf("%d created", w.creates)
	}
}

// TestPastOnANewLeader: a leader that takes over after an application was created, and before that was recorded, creates
// none. One that works on an old copy of the schedule creates none either.
func TestPastOnANewLeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asksFor("2026-01-01T11:20"))
	for range 2 { // accept, create
		w.once()
	}
	w.has("before it is recorded", at(-40))
	w.reconciler = New(w.reconciler.Options)
	becomes(t, w.until("12:01"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
	if err := w.Delete(t.Context(), w.app(at(-40))); err != nil {
		t.Fatal(err)
	}
	w.until("12:02")
	w.has("after it was deleted")
	if err := w.Get(t.Context(), client.ObjectKey{Namespace: "team-a", Name: at(-40)}, &v1alpha1.SparkApplication{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
}

// TestPastUnseen: an application that the cache does not show yet counts as the requested run if it was created for it;
// otherwise its time is skipped.
func TestPastUnseen(t *testing.T) {
	t.Parallel()
	const request = "2026-01-01T11:20"
	for name, tc := range map[string]struct {
		mark string
		want v1alpha1.RunForStatus
	}{
		"created for it":   {tick.RequestHash(request), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1}},
		"created when due": {"", v1alpha1.RunForStatus{Result: v1alpha1.RunForSkipped, Skipped: []string{"2026-01-01T11:20:00Z"}, Message: "exists"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owner := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "a1"}}
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
				Namespace: "team-a", Name: at(-40), Annotations: map[string]string{v1alpha1.RunForRequestAnnotation: tc.mark},
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))},
			}}
			w := newWorld(t, asksFor(request), app)
			w.reconciler.Client = interceptor.NewClient(w.Client.(client.WithWatch), interceptor.Funcs{
				List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return nil },
			})
			becomes(t, w.until("12:01"), tc.want)
			w.has("in the end", at(-40))
		})
	}
}

// TestPastDeletedUnseen: a user deletes the application of a time and requests that time again. The time is not skipped,
// although the cache still shows the application.
func TestPastDeletedUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asksFor("2026-01-01T11:20"))
	w.until("12:01")
	old := w.app(at(-40))
	if err := w.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	late := true
	w.reconciler.Client = interceptor.NewClient(w.Client.(client.WithWatch), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if apps, is := list.(*v1alpha1.SparkApplicationList); is && late {
				apps.Items = []v1alpha1.SparkApplication{*old}
				return nil
			}
			return c.List(ctx, list, opts...)
		},
	})
	w.change(asksFor("2026-01-01T11:20 #2"))
	becomes(t, w.until("12:02"), v1alpha1.RunForStatus{Result: v1alpha1.RunForCreated, Created: 1})
	late = false
	w.until("12:03")
	if now := w.app(at(-40)); now.Annotations[v1alpha1.RunForRequestAnnotation] != tick.RequestHash("2026-01-01T11:20 #2") {
		t.Errorf("it was created because of another request: %v", now.Annotations)
	}
	if diff := cmp.Diff([]string{"Created", "Created"}, w.reasons()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
