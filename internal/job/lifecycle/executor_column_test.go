// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// TestExecutorColumn: while it runs, executors that are ready, of those that are wanted; never more than are wanted.
func TestExecutorColumn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		crew           string
		elastic, ready bool
		peak           int32
		want           string
		wantPeak       int32
	}{
		"none yet":                     {want: "0/2"},
		"one of two":                   {crew: "1 2?", want: "1/2", wantPeak: 1},
		"all of two":                   {crew: "1 2", ready: true, want: "2/2", wantPeak: 2},
		"one is lost":                  {crew: "1", ready: true, peak: 2, want: "1/2", wantPeak: 2},
		"elastic, none yet":            {elastic: true, want: "0/2"},
		"elastic, above the base":      {crew: "1 2 3 4 5", elastic: true, ready: true, want: "5/5", wantPeak: 5},
		"elastic, some wait":           {crew: "1 2 3 4 5 6g 7g 8?", elastic: true, ready: true, peak: 4, want: "5/8", wantPeak: 5},
		"elastic, below the base":      {crew: "1", elastic: true, ready: true, peak: 5, want: "1/1", wantPeak: 5},
		"elastic, idle":                {elastic: true, ready: true, peak: 5, want: "0/0", wantPeak: 5},
		"above the base, without gate": {crew: "1 2 3", ready: true, want: "3/3", wantPeak: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			st := &state{o: Observation{Now: epoch, App: w.app}}
			st.o.Pods, _ = crewOf(tt.crew)
			st.s.Run, st.s.Attempt = 1, 1
			st.s.Grant = &v1alpha1.Grant{Gated: tt.elastic, PodSets: []v1alpha1.PodSetGrant{{Name: v1alpha1.ExecutorPodSet, Count: 2}}}
			st.s.Executors = &v1alpha1.ExecutorStatus{Wanted: 2, Peak: tt.peak}
			if tt.ready {
				st.s.Times.ExecutorsReady = st.nowPtr()
			}
			got := executorStatus(st)
			if got.Summary != tt.want || got.Peak != tt.wantPeak {
				t.Errorf("%s with a peak of %d, want %s and %d", got.Summary, got.Peak, tt.want, tt.wantPeak)
			}
		})
	}
}

// TestExecutorColumnAfterTheEnd: how many executors a run that is over had, though none is left; what is suspended has none.
func TestExecutorColumnAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		play func(w *world)
		want string
	}{
		"succeeded":          {func(w *world) { w.runsWithExecutors(); w.endsWithExecutors(0) }, "Succeeded 2/2"},
		"failed":             {func(w *world) { w.runsWithExecutors(); w.endsWithExecutors(1) }, "Failed 2/2"},
		"failed without any": {func(w *world) { w.fails() }, "Failed 0/2"},
		"more than at the base": {func(w *world) {
			w.runsWithExecutors()
			w.executor(w.driverName()+"-exec-3", true)
			w.after(time.Minute)
			w.settle()
			delete(w.pods, w.driverName()+"-exec-3")
			w.endsWithExecutors(0)
		}, "Succeeded 3/3"},
		"suspended": {func(w *world) {
			w.runsWithExecutors()
			w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
			w.settle()
			w.endsWithExecutors(0)
			delete(w.pods, w.driverName())
			w.settle()
		}, "Suspended 0/2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.settle()
			tt.play(w)
			w.settle()
			stage, _ := status.StageOf(w.app.Status.Conditions)
			e := w.app.Status.Executors
			if got := string(stage) + " " + e.Summary; got != tt.want || e.Ready != 0 {
				t.Errorf("%s with %d ready, want %s and none\n%s", got, e.Ready, tt.want, w.story())
			}
		})
	}
}
