// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

var exhaustive = flag.Bool("exhaustive", false, "break every write of a schedule in every way")

// TestEveryWriteMayBreak: a schedule is applied, runs, replaces its application, and trims its history, and one write of that is broken.
// Each run is created once and recorded, and none is missed. Every write is broken in one way, the next write in the next way; with
// -exhaustive in all of them.
func TestEveryWriteMayBreak(t *testing.T) { breakEveryWrite(t, (*world).liveAsSchedule) }

// TestEveryWriteOfPastTimesMayBreak: two past times are run, and one write of that is broken. Each is created once, and none is taken for an
// application that existed before.
func TestEveryWriteOfPastTimesMayBreak(t *testing.T) { breakEveryWrite(t, (*world).runPastTimes) }

// breakEveryWrite lets a schedule live once undisturbed, and then once for each write, which is broken.
func breakEveryWrite(t *testing.T, live func(*world)) {
	t.Helper()
	var writes []string
	t.Run("undisturbed", func(t *testing.T) {
		writes = liveOnce(t, live, nil)
		t.Logf("%d writes:\n%s", len(writes), strings.Join(writes, "\n"))
	})
	all := harness.Faults()
	for n := 1; n <= len(writes); n++ {
		ways := all
		if !*exhaustive {
			ways = all[n%len(all) : n%len(all)+1]
		}
		for _, fault := range ways {
			t.Run(fmt.Sprintf("write %d %s", n, fault), func(t *testing.T) {
				liveOnce(t, live, func(i int, _ *http.Request) harness.Fault {
					if i == n {
						return fault
					}
					return harness.None
				})
			})
		}
	}
}

// isOfSchedules reports whether a write is one of the controller of schedules.
func isOfSchedules(r *http.Request) bool {
	if strings.Contains(r.URL.Path, "/scheduledsparkapplications/") {
		return true
	}
	return strings.Contains(r.URL.Path, "/sparkapplications") && (r.Method == http.MethodPost || r.Method == http.MethodDelete)
}

// liveOnce has a schedule live on a network on which all events are lost. An operator whose network was cut is replaced by another one on a good
// network. It returns the writes.
func liveOnce(t *testing.T, live func(*world), decide func(int, *http.Request) harness.Fault) []string {
	t.Helper()
	w := &world{t: t, clock: &harness.Clock{}, World: harness.NewWorld(t, "", &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
		k.Start(ctx, driver)
	}})}
	network := harness.NewNetwork(decide)
	network.Ignore = func(r *http.Request) bool { return !strings.Contains(r.URL.Path, w.Namespace) || !isOfSchedules(r) }
	operator := harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock, Network: func(next http.RoundTripper) http.RoundTripper {
		return network.Wrap(withoutEvents{next})
	}})
	stop, replaced := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(replaced)
		select {
		case <-network.Died():
			operator.Stop()
			harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock})
		case <-stop:
		}
	}()
	defer func() { close(stop); <-replaced }()
	live(w)
	if decide != nil && !network.Broke() {
		t.Skip("nothing was broken: this life had fewer writes than the undisturbed one")
	}
	return network.Log()
}

// withoutEvents refuses all events.
type withoutEvents struct{ next http.RoundTripper }

func (e withoutEvents) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && strings.Contains(r.URL.Path, "/events") {
		return nil, errors.New("connection refused")
	}
	return e.next.RoundTrip(r)
}

// liveAsSchedule applies a schedule, has it run and replace its application, and ends that one, which is then trimmed.
func (w *world) liveAsSchedule() {
	w.t.Helper()
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.ConcurrencyPolicy, s.Spec.SuccessfulHistoryLimit = v1alpha1.ConcurrencyReplace, ptr.To[int32](0)
	})
	w.becomes(s, "scheduled", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.NextRunTime != "" })
	first := w.next(s)
	w.clock.Advance(first.Sub(w.clock.Now()) + time.Second)
	w.hasRun(s, first)
	harness.Eventually(w.t, w.child("nightly-"+minutes(first)), "running", harness.InStage(v1alpha1.RunningReason))
	second := first.Add(day)
	w.clock.Advance(second.Sub(w.clock.Now()) + time.Second)
	w.hasRun(s, second)
	app := w.child("nightly-" + minutes(second))
	driver := w.Driver(app)
	harness.Eventually(w.t, app, "running", harness.InStage(v1alpha1.RunningReason))
	w.Kubelet.Finish(w.t.Context(), driver, 0, "Completed")
	harness.Gone(w.t, app)
	w.becomes(s, "done", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 0 && s.Status.LastSuccessfulRun != nil && s.Status.LastSuccessfulRun.Name == app.Name
	})
	if len(s.Status.Missed) != 0 || !w.next(s).Equal(second.Add(day)) {
		w.t.Errorf("status %+v, want no run missed, and the next one at %s", s.Status, second.Add(day))
	}
	var lives []harness.Life
	_ = wait.PollUntilContextTimeout(w.t.Context(), env.Interval, env.Patience, true, func(context.Context) (bool, error) {
		lives = w.History.Lives(w.Namespace)
		return !slices.ContainsFunc(lives, func(l harness.Life) bool { return l.Gone == 0 }), nil
	})
	if len(lives) != 2 || lives[1].Name != app.Name || lives[0].Gone == 0 || lives[0].Gone > lives[1].Created {
		w.t.Errorf("applications %+v, want each once, the second created when the first was gone", lives)
	}
}

// runPastTimes requests two past times of a suspended schedule, which run at once.
func (w *world) runPastTimes() {
	w.t.Helper()
	first := w.clock.Now().UTC().Truncate(day).Add(-9 * day)
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.Suspend, s.Spec.TimeZone, s.Spec.ConcurrencyPolicy = true, "UTC", v1alpha1.ConcurrencyAllow
	})
	harness.Change(w.t, s, func(s *v1alpha1.ScheduledSparkApplication) {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, v1alpha1.RunForAnnotation, first.Format(time.DateOnly)+" "+first.Add(day).Format(time.DateOnly))
	})
	w.becomes(s, "done", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.RunFor != nil && s.Status.RunFor.Result != ""
	})
	if r := s.Status.RunFor; r.Result != v1alpha1.RunForCreated || r.Created != 2 || len(s.Status.Missed) != 0 {
		w.t.Errorf("status %+v, want two created and none missed", s.Status)
	}
	var names []string
	for _, life := range w.History.Lives(w.Namespace) {
		names = append(names, life.Name)
	}
	slices.Sort(names)
	if want := []string{"nightly-" + minutes(first), "nightly-" + minutes(first.Add(day))}; !slices.Equal(names, want) {
		w.t.Errorf("applications %v, want %v, each once", names, want)
	}
}

// next returns when a schedule runs next, by its status.
func (w *world) next(s *v1alpha1.ScheduledSparkApplication) time.Time {
	w.t.Helper()
	at, err := time.Parse(time.RFC3339, s.Status.NextRunTime)
	if err != nil {
		w.t.Fatal(err)
	}
	return at
}

// hasRun has the operator look until it has recorded a run.
func (w *world) hasRun(s *v1alpha1.ScheduledSparkApplication, at time.Time) {
	w.t.Helper()
	w.look(s)
	w.becomes(s, "recorded as run at "+at.String(), func(s *v1alpha1.ScheduledSparkApplication) bool {
		ran, err := time.Parse(time.RFC3339, s.Status.LastRunTime)
		return err == nil && ran.Equal(at)
	})
}
