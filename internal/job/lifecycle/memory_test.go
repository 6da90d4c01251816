// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// memory is what an operator remembers from pass to pass, and forgets when it crashes. If it is not on, it remembers
// nothing.
type memory struct {
	on bool
	// written is when the status was written last; writes counts all writes, across crashes.
	written time.Time
	writes  int
	// peak is the peak of ready executors of the attempt.
	peak         ReadyPeak
	run, attempt int64
	// activity is what the driver of the attempt last said it does.
	activity Activity
}

// recall adds the remembered values to an observation, after its own.
func (m *memory) recall(o *Observation) {
	if !m.on {
		return
	}
	s := &o.App.Status
	if m.run != s.Run || m.attempt != s.Attempt {
		m.run, m.attempt, m.peak = s.Run, s.Attempt, ReadyPeak{}
		m.activity = Activity{}
	}
	var ready int32
	for _, r := range o.Pods {
		if r.Run == s.Run && r.Attempt == s.Attempt && r.CountsAsReady() {
			ready++
		}
	}
	if ready > m.peak.Count {
		m.peak = ReadyPeak{Count: ready, Since: o.Now}
	}
	o.LastWrite, o.ReadyPeak, o.Activity = m.written, m.peak, m.activity
}

// forget clears the memory, as a crash does.
func (m *memory) forget() { *m = memory{on: m.on, writes: m.writes} }

// known returns the values that decisions depend on.
func (m *memory) known() []any { return []any{m.on, m.written, m.peak, m.run, m.attempt} }

// newBusyWorld returns a world whose operator remembers, with an application that has just been submitted.
func newBusyWorld(t *testing.T, set func(*v1alpha1.SparkApplicationSpec)) *world {
	t.Helper()
	w := newWorld(t)
	w.memory.on = true
	if set != nil {
		set(&w.app.Spec)
	}
	w.settle()
	return w
}

// executorsRun starts both executors two seconds after the driver, which starts a second after its creation.
func (w *world) executorsRun() {
	w.after(time.Second)
	w.runs()
	w.settle()
	w.after(2 * time.Second)
	w.executor(w.driverName()+"-exec-1", true)
	w.executor(w.driverName()+"-exec-2", true)
	w.settle()
}

// TestWritesOfALife: a run of 15 s takes three writes of the status: the intent, that the driver runs, and the end. The end says
// when the executors were ready, and how many.
func TestWritesOfALife(t *testing.T) {
	t.Parallel()
	w := newBusyWorld(t, nil)
	w.executorsRun()
	ready := w.now
	w.after(13 * time.Second)
	w.settle()
	w.endsWithExecutors(0)
	s := &w.app.Status
	if w.memory.writes != 3 {
		t.Errorf("%d writes of the status, want 3\n%s", w.memory.writes, w.story())
	}
	if at := s.Times.ExecutorsReady; at == nil || !at.Time.Equal(ready) {
		t.Errorf("executors were ready at %v, want %s", at, ready)
	}
	if e := s.Executors; e.Summary != "2/2" || e.Peak != 2 {
		t.Errorf("executors %s with a peak of %d, want 2/2 and 2", e.Summary, e.Peak)
	}
}

// TestWhenCountsAreWritten: counts which only say that more executors are ready are written at most every 20 s,
// problems with executors every 10 s; and changes that other programs rely on, at once.
func TestWhenCountsAreWritten(t *testing.T) {
	t.Parallel()
	streaming := func(s *v1alpha1.SparkApplicationSpec) { s.ReadyWhen = v1alpha1.ReadyWhenRunning }
	for name, tt := range map[string]struct {
		set   func(*v1alpha1.SparkApplicationSpec)
		gate  string
		spoil func(*world)
		// after is the time since the write that the driver runs.
		after time.Duration
	}{
		"both are ready":           {after: goodNewsFactor * DefaultExecutorInterval},
		"the application is Ready": {set: streaming, after: 2 * time.Second},
		"Kueue shows the progress": {gate: "Kueue", after: 2 * time.Second},
		"another one cannot start": {after: DefaultExecutorInterval, spoil: func(w *world) {
			name := w.driverName() + "-exec-3"
			w.executor(name, false)
			w.change(name, func(p *pods.Record) { p.Waiting = pods.Waiting{Reason: "ErrImagePull", Message: "not found"} })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.memory.on = true
			if tt.gate != "" {
				w.gate = tt.gate
			}
			if tt.set != nil {
				tt.set(&w.app.Spec)
			}
			w.settle()
			w.executorsRun()
			runs := w.app.Status.Times.DriverStarted.Time
			if tt.spoil != nil {
				tt.spoil(w)
			}
			for w.app.Status.Times.ExecutorsReady == nil {
				d := w.pass()
				if w.app.Status.Times.ExecutorsReady != nil {
					break
				}
				if !d.RequeueAt.After(w.now) || d.RequeueAt.Sub(runs) > time.Minute {
					t.Fatalf("the next look is at %s\n%s", d.RequeueAt, w.story())
				}
				w.now = d.RequeueAt
			}
			if got := w.now.Sub(runs); got != tt.after {
				t.Errorf("written %s after the driver ran, want %s", got, tt.after)
			}
		})
	}
}

// TestReadyExecutorsAreNotOverdue: an attempt whose executors were all ready before its status says so is not stopped when one is
// lost meanwhile.
func TestReadyExecutorsAreNotOverdue(t *testing.T) {
	t.Parallel()
	w := newBusyWorld(t, func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts = &v1alpha1.Timeouts{ExecutorStart: seconds(5)} })
	w.executorsRun()
	delete(w.pods, w.driverName()+"-exec-1")
	w.executor(w.driverName()+"-exec-3", false)
	w.after(5 * time.Second)
	w.settle()
	if stage, _ := status.StageOf(w.app.Status.Conditions); stage != status.Running || w.app.Status.Stopping != "" {
		t.Errorf("stage %s, stopping %q\n%s", stage, w.app.Status.Stopping, w.story())
	}
}

// TestSettledExecutorsAreNotOverdue: an attempt that had fewer executors than it began with when their time was over, and none on its way, may
// continue. Then it is not stopped later because Spark asks for others, or lets all of them go.
func TestSettledExecutorsAreNotOverdue(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]func(*world){
		"another one is pending": func(w *world) { w.executor(w.driverName()+"-exec-3", false) },
		"one takes its place": func(w *world) {
			delete(w.pods, w.driverName()+"-exec-1")
			w.executor(w.driverName()+"-exec-3", false)
		},
		"none is left": func(w *world) { delete(w.pods, w.driverName()+"-exec-1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newBusyWorld(t, func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts = &v1alpha1.Timeouts{ExecutorStart: seconds(5)} })
			w.after(time.Second)
			w.runs()
			w.settle()
			w.executor(w.driverName()+"-exec-1", true)
			w.settle()
			w.after(5 * time.Second)
			w.settle()
			if w.app.Status.Times.ExecutorsReady == nil {
				t.Errorf("it is not decided that the attempt may continue\n%s", w.story())
			}
			later(w)
			w.after(time.Hour)
			w.settle()
			if stage, _ := status.StageOf(w.app.Status.Conditions); stage != status.Running || w.app.Status.Stopping != "" {
				t.Errorf("stage %s, stopping %q\n%s", stage, w.app.Status.Stopping, w.story())
			}
		})
	}
}

// TestNoExecutorsToBeginWith: a driver that begins without executors, as under dynamic allocation, is complete when it runs, and may take as long
// as it likes to ask for the first.
func TestNoExecutorsToBeginWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unasked = true
	w.app.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
	w.settle()
	w.runs()
	w.settle()
	w.wantSays("Ready", "True/Running: run 1, attempt 1: driver pod pi-1-1-driver is running")
	w.after(DefaultExecutorStart)
	w.settle()
	if s := &w.app.Status; s.Stopping != "" || s.Executors.Summary != "0/0" {
		t.Errorf("executors %s, stopping %q\n%s", s.Executors.Summary, s.Stopping, w.story())
	}
}

// TestDriversThatStartInTime: a driver that takes 9 s to run costs no write of its own; one that takes longer is shown as Starting, and
// one in whose way something is, as soon as that is known.
func TestDriversThatStartInTime(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		warning string
		takes   time.Duration
		// want is the number of writes until the driver runs.
		want int
	}{
		"in time":  {"", startingDelay - time.Second, 2},
		"late":     {"", startingDelay + time.Second, 3},
		"hindered": {"FailedMount: secret not found", startingDelay - time.Second, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newBusyWorld(t, nil)
			w.warning = tt.warning
			w.change(w.driverName(), func(p *pods.Record) { p.Scheduled, p.Node = true, "node-1" })
			for range int(tt.takes / time.Second) {
				w.after(time.Second)
				w.pass()
			}
			w.runs()
			w.settle()
			if w.memory.writes != tt.want {
				t.Errorf("%d writes of the status, want %d\n%s", w.memory.writes, tt.want, w.story())
			}
		})
	}
}

// TestReasonsOfTheSchedulerAreWrittenOnceAMinute: why no node fits a pod is in the status at once, and may change often in a busy cluster.
func TestReasonsOfTheSchedulerAreWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	message := func(w *world) string {
		return apimeta.FindStatusCondition(w.app.Status.Conditions, v1alpha1.ReadyCondition).Message
	}
	problem := func(w *world) string { return w.app.Status.Executors.Problem }
	for name, tt := range map[string]struct {
		pod   func(*world) string
		shown func(*world) string
	}{
		"of the driver": {func(w *world) string { return w.driverName() }, message},
		"of executors": {func(w *world) string {
			w.after(time.Second)
			w.runs()
			name := w.driverName() + "-exec-1"
			w.executor(name, false)
			w.settle()
			return name
		}, problem},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newBusyWorld(t, nil)
			pod := tt.pod(w)
			unfit := func(reasons string) {
				w.change(pod, func(p *pods.Record) {
					p.Waiting = pods.Waiting{Reason: corev1.PodReasonUnschedulable, Message: "0/9 nodes are available: " + reasons + ". preemption: none"}
				})
				w.settle()
			}
			unfit("9 Insufficient cpu")
			w.looksUntil(w.now.Add(2 * reasonsInterval))
			written, writes := w.memory.written, w.memory.writes
			if got := tt.shown(w); !strings.HasSuffix(got, "pod is unschedulable: Insufficient cpu") {
				t.Fatalf("it says %q\n%s", got, w.story())
			}
			unfit("8 Insufficient cpu, 1 Insufficient memory")
			changed := w.now
			if got := tt.shown(w); !strings.HasSuffix(got, ": Insufficient cpu, Insufficient memory") {
				t.Fatalf("%s after the last write it says %q\n%s", changed.Sub(written), got, w.story())
			}
			for range 10 {
				w.after(time.Second)
				unfit("9 Insufficient cpu")
				w.after(time.Second)
				unfit("9 Insufficient memory")
			}
			if got := w.memory.writes - writes; got != 1 {
				t.Errorf("%d writes for reasons that change each second, want 1\n%s", got, w.story())
			}
			w.looksUntil(changed.Add(reasonsInterval))
			if got := tt.shown(w); !strings.HasSuffix(got, "pod is unschedulable: Insufficient memory") {
				t.Errorf("after %s it says %q\n%s", reasonsInterval, got, w.story())
			}
		})
	}
}
