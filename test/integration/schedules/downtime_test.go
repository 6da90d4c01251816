// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// atRest is a template whose applications start nothing.
func atRest(s *v1alpha1.ScheduledSparkApplication) {
	spec := strings.TrimPrefix(string(s.Spec.Template.Spec.Raw), "{")
	s.Spec.Template.Spec.Raw = []byte(`{"suspend":true,` + strings.Replace(spec, `"suspend":false,`, "", 1))
}

// TestDowntime: no operator runs over five runs of a daily schedule, thirteen or more of one every eight hours. What the next one creates is what
// catchUp and startingDeadline say; the others are counted with their reason, and one event names them all.
func TestDowntime(t *testing.T) {
	w := &world{World: harness.NewWorld(t, "", nil), t: t, clock: &harness.Clock{}}
	operator := harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock})
	cases := []struct {
		name   string
		change func(*v1alpha1.ScheduledSparkApplicationSpec)
		runs   int
		missed map[string]int64
	}{
		{"none", func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.CatchUp = v1alpha1.CatchUpNone }, 0, map[string]int64{v1alpha1.MissedOperatorDown: 5}},
		{"last", func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.CatchUp = v1alpha1.CatchUpLast }, 1, map[string]int64{v1alpha1.MissedOperatorDown: 4}},
		{"all", func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.CatchUp = v1alpha1.CatchUpAll }, 5, nil},
		{"bounded", func(s *v1alpha1.ScheduledSparkApplicationSpec) {
			s.CatchUp, s.StartingDeadline = v1alpha1.CatchUpAll, &metav1.Duration{Duration: 36 * time.Hour}
		}, 2, map[string]int64{v1alpha1.MissedStartingDeadlineExceeded: 3}},
		{"most", func(s *v1alpha1.ScheduledSparkApplicationSpec) {
			s.Schedule, s.CatchUp = "@every 8h", v1alpha1.CatchUpAll
		}, 10, map[string]int64{v1alpha1.MissedOperatorDown: 3}},
	}
	schedules := map[string]*v1alpha1.ScheduledSparkApplication{}
	for _, tc := range cases {
		schedules[tc.name] = w.apply(tc.name, func(s *v1alpha1.ScheduledSparkApplication) {
			atRest(s)
			s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyAllow
			tc.change(&s.Spec)
		})
	}
	operator.Stop()
	last := w.next(schedules["none"]).Add(4 * day)
	w.clock.Advance(last.Sub(w.clock.Now()) + time.Hour)
	harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock})
	for _, tc := range cases {
		s := schedules[tc.name]
		w.becomes(s, "caught up", func(s *v1alpha1.ScheduledSparkApplication) bool {
			return s.Status.Handled != nil && s.Status.Handled.Until.Time.Equal(last) && int(s.Status.ActiveCount) == tc.runs
		})
		missed := map[string]int64{}
		for _, m := range s.Status.Missed {
			missed[m.Reason] = m.Count
		}
		if tc.name == "most" { // the first of them may have been due before the first of the others
			missed[v1alpha1.MissedOperatorDown] = min(missed[v1alpha1.MissedOperatorDown], 3)
		}
		if diff := cmp.Diff(tc.missed, missed, cmp.Comparer(func(a, b map[string]int64) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
			t.Errorf("%s: missed (-want +got):\n%s", tc.name, diff)
		}
		w.createdOldestFirst(s.Name, last, tc.runs)
		w.announced(s, len(tc.missed))
	}
}

// createdOldestFirst checks that a schedule has as many applications as wanted, each once, created in the order of their times, up to the last one.
func (w *world) createdOldestFirst(schedule string, last time.Time, n int) {
	w.t.Helper()
	var names []string
	for _, life := range w.History.Lives(w.Namespace) {
		if strings.HasPrefix(life.Name, schedule+"-") {
			names = append(names, life.Name)
		}
	}
	if len(names) != n || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != n || n > 0 && names[n-1] != schedule+"-"+minutes(last) {
		w.t.Errorf("%s created %v, want %d, the oldest first, until %s", schedule, names, n, last)
	}
}

// announced waits until there are so many events of missed runs of a schedule.
func (w *world) announced(s *v1alpha1.ScheduledSparkApplication, n int) {
	w.t.Helper()
	var found []string
	err := wait.PollUntilContextTimeout(w.t.Context(), env.Interval, env.Patience, true, func(ctx context.Context) (bool, error) {
		events := &corev1.EventList{}
		if err := env.Client().List(ctx, events, client.InNamespace(w.Namespace)); err != nil {
			return false, err
		}
		found = nil
		for i := range events.Items {
			if e := &events.Items[i]; e.InvolvedObject.UID == s.UID && e.Reason == "MissedRuns" {
				found = append(found, e.Message)
			}
		}
		return len(found) >= n, nil
	})
	if err != nil || len(found) != n {
		w.t.Errorf("%s: events %q, want %d (%v)", s.Name, found, n, err)
	}
}

// TestTwoLeaders: two operators that both believe that they lead create each run once, and neither reports it as missed.
func TestTwoLeaders(t *testing.T) {
	w := newWorld(t)
	harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock})
	var all []*v1alpha1.ScheduledSparkApplication
	for i := range 5 {
		all = append(all, w.apply(fmt.Sprintf("nightly-%d", i), func(s *v1alpha1.ScheduledSparkApplication) {
			atRest(s)
			s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyAllow
		}))
	}
	const days = 4
	last := w.next(all[0])
	w.clock.Advance(last.Sub(w.clock.Now()) + time.Second)
	for i := range days {
		if i > 0 {
			last = last.Add(day)
			w.clock.Advance(day)
		}
		for _, s := range all {
			w.hasRun(s, last)
		}
	}
	for _, s := range all {
		w.becomes(s, "run each day", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == days })
		if len(s.Status.Missed) != 0 {
			t.Errorf("%s: missed %+v", s.Name, s.Status.Missed)
		}
		w.createdOldestFirst(s.Name, last, days)
	}
}
