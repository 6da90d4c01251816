// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const holder = "example.org/holds"

// inTheWay are states of an application that has not finished when the next run is due.
var inTheWay = map[string]struct {
	change func(*v1alpha1.ScheduledSparkApplication)
	bring  func(*world, *v1alpha1.SparkApplication)
}{
	"waits in its queue": {bring: func(w *world, app *v1alpha1.SparkApplication) { w.Reach(app, "Queued") }},
	"suspended":          {change: atRest, bring: func(w *world, app *v1alpha1.SparkApplication) { w.Reach(app, "Suspended") }},
	"being deleted": {change: atRest, bring: func(w *world, app *v1alpha1.SparkApplication) {
		harness.Change(w.t, app, func(a *v1alpha1.SparkApplication) { a.Finalizers = append(a.Finalizers, holder) })
		if err := env.Client().Delete(w.t.Context(), app); err != nil {
			w.t.Fatal(err)
		}
	}},
}

// TestInTheWay: Forbid passes a run over, Allow creates it, and Replace creates it once the application before it has gone.
func TestInTheWay(t *testing.T) {
	for name, state := range inTheWay {
		t.Run(name, func(t *testing.T) {
			w := &world{World: harness.NewWorld(t, "", nil), t: t, clock: &harness.Clock{}}
			harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock})
			if state.change == nil {
				harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
			}
			schedules, first := map[v1alpha1.ConcurrencyPolicy]*v1alpha1.ScheduledSparkApplication{}, map[v1alpha1.ConcurrencyPolicy]*v1alpha1.SparkApplication{}
			policies := []v1alpha1.ConcurrencyPolicy{v1alpha1.ConcurrencyForbid, v1alpha1.ConcurrencyAllow, v1alpha1.ConcurrencyReplace}
			for _, policy := range policies {
				schedules[policy] = w.apply(strings.ToLower(string(policy)), func(s *v1alpha1.ScheduledSparkApplication) {
					s.Spec.ConcurrencyPolicy = policy
					if state.change != nil {
						state.change(s)
					}
				})
			}
			at := w.next(schedules[policies[0]])
			w.clock.Advance(at.Sub(w.clock.Now()) + time.Second)
			for _, policy := range policies {
				w.hasRun(schedules[policy], at)
				first[policy] = w.child(schedules[policy].Name + "-" + minutes(at))
				state.bring(w, first[policy])
			}
			w.clock.Advance(day)
			w.secondRuns(schedules, first, at.Add(day))
		})
	}
}

// secondRuns checks what becomes of the run after the one that is in the way.
func (w *world) secondRuns(schedules map[v1alpha1.ConcurrencyPolicy]*v1alpha1.ScheduledSparkApplication, first map[v1alpha1.ConcurrencyPolicy]*v1alpha1.SparkApplication, at time.Time) {
	w.t.Helper()
	s := schedules[v1alpha1.ConcurrencyForbid]
	w.look(s)
	w.becomes(s, "passed over", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return len(s.Status.Missed) == 1 && s.Status.Missed[0].Reason == v1alpha1.MissedConcurrencyForbidden && s.Status.Missed[0].Count == 1 && s.Status.ActiveCount == 1
	})
	w.hasRun(schedules[v1alpha1.ConcurrencyAllow], at)
	s = schedules[v1alpha1.ConcurrencyReplace]
	w.look(s)
	old := first[v1alpha1.ConcurrencyReplace]
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(old), old); err == nil && len(old.Finalizers) > 0 {
		w.becomes(s, "waiting", func(s *v1alpha1.ScheduledSparkApplication) bool {
			return strings.Contains(condition(s, v1alpha1.ReadyCondition).Message, "waits until "+old.Name) && s.Status.ActiveCount == 1
		})
		harness.Change(w.t, old, func(a *v1alpha1.SparkApplication) {
			a.Finalizers = remove(a.Finalizers, holder)
		})
	}
	w.becomes(s, "replaced", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 1 && s.Status.Active[0] == s.Name+"-"+minutes(at)
	})
	var lives []harness.Life
	for _, life := range w.History.Lives(w.Namespace) {
		if strings.HasPrefix(life.Name, s.Name+"-") {
			lives = append(lives, life)
		}
	}
	if len(lives) != 2 || lives[0].Gone == 0 || lives[0].Gone > lives[1].Created {
		w.t.Errorf("applications %+v, want two, the second created when the first was gone", lives)
	}
}

func remove(all []string, one string) (left []string) {
	for _, each := range all {
		if each != one {
			left = append(left, each)
		}
	}
	return left
}

// TestFinishedMeanwhile: an application finishes, and the operator has not heard of it when the next run is due. It does not forbid the run.
func TestFinishedMeanwhile(t *testing.T) {
	namespace := env.Namespace(t) // no history judges the status that the test writes
	w := &world{World: &harness.World{Namespace: namespace, Queue: harness.Queue(t, namespace, "", "")}, t: t, clock: &harness.Clock{}}
	network := harness.NewNetwork(nil)
	harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock, Network: network.Wrap})
	s := w.apply("nightly", atRest)
	at := w.next(s)
	w.clock.Advance(at.Sub(w.clock.Now()) + time.Second)
	w.hasRun(s, at)
	app := w.child("nightly-" + minutes(at))
	harness.Eventually(t, app, "suspended", harness.InStage(v1alpha1.SuspendedReason))
	network.ResumeBut(func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/sparkapplications") && r.URL.Query().Get("watch") != ""
	})
	now := metav1.Now()
	done := app.DeepCopy()
	for i := range done.Status.Conditions {
		switch c := &done.Status.Conditions[i]; c.Type {
		case v1alpha1.FinishedCondition:
			c.Status, c.LastTransitionTime = metav1.ConditionTrue, now
		case v1alpha1.ReadyCondition:
			c.Reason = v1alpha1.SucceededReason
		}
	}
	if err := env.Client().Status().Patch(t.Context(), done, client.MergeFrom(app)); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(day)
	w.hasRun(s, at.Add(day))
	network.Resume()
	if len(s.Status.Missed) != 0 {
		t.Errorf("missed %+v", s.Status.Missed)
	}
}

// TestCreatedAgain: a schedule is deleted and created again while the clocks of operator and API server differ, so the run of today seems to
// be ahead of the new one. Its application exists, left to the garbage collector or without an owner: it does not run again. As long as it has not
// gone it is in the way of the next one, if it is deleted with the schedule.
func TestCreatedAgain(t *testing.T) {
	for name, left := range map[string]func(*v1alpha1.SparkApplication){
		"background": func(*v1alpha1.SparkApplication) {},
		"orphan":     func(a *v1alpha1.SparkApplication) { a.OwnerReferences = nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.apply("nightly", atRest)
			at := w.next(s)
			ahead := at.Sub(w.clock.Now()) + time.Second
			w.clock.Advance(ahead)
			w.hasRun(s, at)
			app := w.child("nightly-" + minutes(at))
			background := client.PropagationPolicy(metav1.DeletePropagationBackground)
			if err := env.Client().Delete(t.Context(), s, background); err != nil {
				t.Fatal(err)
			}
			harness.Gone(t, s)
			harness.Change(t, app, left)
			uid := app.UID
			s = w.apply("nightly", atRest)
			w.hasRun(s, at)
			if len(s.Status.Missed) != 0 {
				t.Errorf("missed %+v", s.Status.Missed)
			}
			w.clock.Advance(day)
			w.look(s)
			if name == "background" {
				w.becomes(s, "forbidden", func(s *v1alpha1.ScheduledSparkApplication) bool {
					return len(s.Status.Missed) == 1 && s.Status.Missed[0].Reason == v1alpha1.MissedConcurrencyForbidden
				})
				w.collect(app, uid)
				w.clock.Advance(day)
				at = at.Add(day)
			}
			w.hasRun(s, at.Add(day))
			w.createdOldestFirst("nightly", at.Add(day), 2)
		})
	}
}

// collect deletes an application as the garbage collector does.
func (w *world) collect(app *v1alpha1.SparkApplication, uid types.UID) {
	w.t.Helper()
	if err := env.Client().Delete(w.t.Context(), app, client.Preconditions{UID: &uid}); err != nil {
		w.t.Fatal(err)
	}
	harness.Gone(w.t, app)
}
