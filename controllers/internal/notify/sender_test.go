// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func application(run int64) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi", UID: "pi-uid", ResourceVersion: "7"}}
	app.Status.Run, app.Status.Attempt, app.Status.Queue = run, 1, "team-a"
	return app
}

// receiver is a notification-controller with configurable answers that stores the accepted events.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	took  []map[string]any
	calls int
	// answer returns the code for the n-th request, from 1; 0 blocks until the client gives up.
	answer func(n int) int
}

func newReceiver(t *testing.T, answer func(n int) int) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body) // read whole, or the server does not see that the caller has gone
	r.mu.Lock()
	r.calls++
	code := r.answer(r.calls)
	if code == http.StatusAccepted {
		var e map[string]any
		if err := json.Unmarshal(body, &e); err == nil {
			r.took = append(r.took, e)
		}
	}
	r.mu.Unlock()
	if code == 0 {
		<-request.Context().Done()
		return
	}
	w.WriteHeader(code)
}

// messages returns the messages of the accepted events, in order.
func (r *receiver) messages() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, e := range r.took {
		all = append(all, fmt.Sprint(e["message"]))
	}
	return all
}

func accepts(int) int { return http.StatusAccepted }

// sending is a sender under test. Its clock is advanced only when the sender waits for it.
type sending struct {
	*Sender
	clock *clocktesting.FakeClock
	end   func()
	mu    sync.Mutex
	lines []string // of the log
}

func startSender(t *testing.T, url string) *sending {
	s := &sending{clock: clocktesting.NewFakeClock(noon)}
	log := funcr.New(func(_, line string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lines = append(s.lines, line)
	}, funcr.Options{})
	s.Sender = New(Options{URL: url, Instance: "one", Clock: s.clock, Log: log})
	s.shutdownTimeout = time.Minute // so that a slow machine does not decide
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Start(ctx)
	}()
	s.end = func() {
		cancel()
		<-done
	}
	t.Cleanup(s.end)
	return s
}

// until advances the clock through the sender's pauses until a condition holds.
func (s *sending) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		if s.clock.HasWaiters() {
			s.clock.Step(time.Minute)
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("waited in vain: %s", what)
}

func (s *sending) logged() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

// results returns the number of events with each result, over all tests so far. The tests of this file are not
// parallel.
func results() map[string]float64 {
	all := map[string]float64{}
	for _, r := range []string{delivered, refused, failed, dropped} {
		all[r] = notifications.Total(r)
	}
	return all
}

// expectResults compares the results since before.
func expectResults(t *testing.T, before, want map[string]float64) {
	t.Helper()
	got := map[string]float64{}
	for r, n := range results() {
		if n != before[r] {
			got[r] = n - before[r]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestAttemptThatHasEnded: what is said before the next attempt begins has the number of the one that has ended.
func TestAttemptThatHasEnded(t *testing.T) {
	t.Parallel()
	app := application(1)
	app.Status.Attempt, app.Status.Attempts = 3, []v1alpha1.AttemptStatus{{Run: 1, Attempt: 1}, {Run: 1, Attempt: 2}}
	for want, retry := range map[string]*metav1.Time{"2": {Time: noon}, "3": nil} {
		app.Status.Times.Retry = retry
		if got := metadataOf(app); got["sparkgate.io/attempt"] != want || got["sparkgate.io/token"] != "pi-uid/1."+want {
			t.Errorf("want attempt %s: %v", want, got)
		}
	}
}

// TestEventIsFluxs compares the posted event with the format that notification-controller accepts.
func TestEventIsFluxs(t *testing.T) {
	r := newReceiver(t, accepts)
	s := startSender(t, r.URL)
	app := application(2)
	app.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs", "kustomize.toolkit.fluxcd.io/namespace": "flux-system", "team": "x"}
	app.Annotations = map[string]string{"event.toolkit.fluxcd.io/revision": "main@sha1:0123", "other": "y"}
	s.Notify(app, true, "Failed", "run 2 failed: --token abc is refused")
	s.until(t, "the event", func() bool { return len(r.messages()) == 1 })
	want := map[string]any{
		"involvedObject": map[string]any{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "namespace": "team", "name": "pi",
			"uid": "pi-uid", "resourceVersion": "7"},
		"severity": "error", "timestamp": "2026-01-01T12:00:00Z", "reason": "Failed", "message": "run 2 failed: --token (hidden) is refused",
		"metadata": map[string]any{"sparkgate.io/token": "pi-uid/2.1", "sparkgate.io/run": "2", "sparkgate.io/attempt": "1",
			"sparkgate.io/queue": "team-a", "sparkgate.io/kustomization": "flux-system/jobs", "event.toolkit.fluxcd.io/revision": "main@sha1:0123"},
		"reportingController": "sparkgate", "reportingInstance": "one",
	}
	if diff := cmp.Diff(want, r.took[0]); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	s.Notify(application(1), false, "Succeeded", "run 1 succeeded")
	s.until(t, "the second event", func() bool { return len(r.messages()) == 2 })
	if got := r.took[1]["severity"]; got != "info" {
		t.Errorf("severity of a good end is %v", got)
	}
}

// TestWarningsOfSchedules: an error of a schedule is an event about that kind, with the metadata that Flux expects.
func TestWarningsOfSchedules(t *testing.T) {
	r := newReceiver(t, accepts)
	s := startSender(t, r.URL)
	s.NotifySchedule(&v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: "nightly", UID: "n-uid", ResourceVersion: "7", Labels: map[string]string{"helm.toolkit.fluxcd.io/name": "jobs", "helm.toolkit.fluxcd.io/namespace": "team"},
	}}, "MissedRun", "the run was not started")
	s.until(t, "the event", func() bool { return len(r.messages()) == 1 })
	want := map[string]any{
		"involvedObject": map[string]any{"apiVersion": "sparkgate.io/v1alpha1", "kind": "ScheduledSparkApplication", "namespace": "team", "name": "nightly",
			"uid": "n-uid", "resourceVersion": "7"},
		"severity": "error", "timestamp": "2026-01-01T12:00:00Z", "reason": "MissedRun", "message": "the run was not started",
		"metadata":            map[string]any{"sparkgate.io/token": "n-uid/7", "sparkgate.io/helmrelease": "team/jobs"},
		"reportingController": "sparkgate", "reportingInstance": "one",
	}
	if diff := cmp.Diff(want, r.took[0]); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// TestTriedAgain: events that the receiver fails to accept are retried in order, without a loss.
func TestTriedAgain(t *testing.T) {
	before := results()
	r := newReceiver(t, func(n int) int {
		if n%3 != 0 {
			return http.StatusServiceUnavailable
		}
		return http.StatusAccepted
	})
	s := startSender(t, r.URL)
	var want []string
	for run := range int64(5) {
		want = append(want, fmt.Sprint(run))
		s.Notify(application(run), false, "Succeeded", fmt.Sprint(run))
	}
	s.until(t, "all events", func() bool { return results()[delivered]-before[delivered] == 5 })
	if diff := cmp.Diff(want, r.messages()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	expectResults(t, before, map[string]float64{delivered: 5})
	if s.logged() != 0 {
		t.Errorf("logged: %v", s.lines)
	}
}

// TestNotTriedAgain: an event that the receiver rejects, or takes for a duplicate, is sent once.
func TestNotTriedAgain(t *testing.T) {
	before := results()
	codes := []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusNotFound, http.StatusAccepted}
	r := newReceiver(t, func(n int) int { return codes[n-1] })
	s := startSender(t, r.URL)
	for run := range int64(len(codes)) {
		s.Notify(application(run), false, "Succeeded", fmt.Sprint(run))
	}
	s.until(t, "the last event", func() bool { return results()[delivered]-before[delivered] == 2 })
	s.end()
	expectResults(t, before, map[string]float64{refused: 2, delivered: 2})
	if r.calls != len(codes) || s.logged() != 4 {
		t.Errorf("%d calls, want %d; the log should tell twice of a loss and twice of its end: %v", r.calls, len(codes), s.lines)
	}
}

// TestReceiverThatIsAbsent: an event is dropped after a few attempts, which is logged once, and the next one follows.
func TestReceiverThatIsAbsent(t *testing.T) {
	before := results()
	r := newReceiver(t, accepts)
	r.Close()
	s := startSender(t, r.URL)
	s.Notify(application(1), false, "Succeeded", "1")
	s.Notify(application(2), false, "Succeeded", "2")
	s.until(t, "both are given up", func() bool { return results()[failed]-before[failed] == 2 })
	expectResults(t, before, map[string]float64{failed: 2})
	if s.logged() != 1 {
		t.Errorf("logged: %v", s.lines)
	}
}

// TestReceiverThatHangs: the caller of the notifier is not blocked, the queue of events stays bounded and keeps the
// newest ones, and stopping is not blocked either.
func TestReceiverThatHangs(t *testing.T) {
	before := results()
	var open sync.Mutex
	hangs := true
	r := newReceiver(t, func(int) int {
		open.Lock()
		defer open.Unlock()
		if hangs {
			return 0
		}
		return http.StatusAccepted
	})
	s := startSender(t, r.URL)
	s.Notify(application(0), false, "Succeeded", "hangs")
	s.until(t, "the first event is on its way", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.calls == 1 })
	for run := range int64(maxQueued + 10) {
		s.Notify(application(run), false, "Succeeded", fmt.Sprint(run))
	}
	if len(s.queue) != maxQueued || s.queue[0].Message != "10" {
		t.Errorf("%d events wait, the first is %q", len(s.queue), s.queue[0].Message)
	}
	expectResults(t, before, map[string]float64{dropped: 10})
	open.Lock()
	hangs = false
	open.Unlock()
	s.end() // the one that hangs is cut off; the others go out
	got := r.messages()
	if len(got) != maxQueued || !slices.Contains(got, fmt.Sprint(maxQueued+9)) || slices.Contains(got, "9") {
		t.Errorf("%d events arrived: %v", len(got), got)
	}
	expectResults(t, before, map[string]float64{dropped: 11, delivered: maxQueued})
}

// TestCrowd: a namespace with more events than the queue holds loses only its own events.
func TestCrowd(t *testing.T) {
	s := New(Options{Clock: clocktesting.NewFakeClock(noon)})
	quiet := application(1)
	quiet.Namespace = "quiet"
	s.Notify(quiet, true, "Failed", "the first")
	for run := range int64(2 * maxQueued) {
		s.Notify(application(run), true, "InvalidSpec", fmt.Sprint(run))
		if run == maxQueued {
			s.Notify(quiet, true, "Failed", "the second")
		}
	}
	var got []string
	for _, e := range s.queue {
		if e.InvolvedObject.Namespace == quiet.Namespace {
			got = append(got, e.Message)
		}
	}
	if diff := cmp.Diff([]string{"the first", "the second"}, got); diff != "" || len(s.queue) != maxQueued {
		t.Errorf("%d events wait; those of the other namespace (-want +got):\n%s", len(s.queue), diff)
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"http://notification-controller.flux-system.svc.cluster.local./": true, "https://example.com:8443/x": true,
		"": false, "notification-controller": false, "localhost:8080": false, "ftp://example.com": false, "http://": false, "http://a b": false,
	} {
		if err := CheckURL(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
