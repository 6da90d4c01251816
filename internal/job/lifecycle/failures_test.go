// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// failedAt returns the failure of an executor that many seconds after the epoch of the tests.
func failedAt(number, second int) pods.Failure {
	return pods.Failure{Pod: fmt.Sprintf("pi-exec-%d", number), At: epoch.Unix() + int64(second),
		Outcome: pods.Outcome{Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](1), Message: "executor ended with exit code 1"}}
}

// counting is an application whose operator has seen some failures.
type counting struct {
	app    *v1alpha1.SparkApplication
	driver *pods.Record
	status *v1alpha1.ExecutorStatus
}

func (c *counting) sees(seen ...pods.Failure) {
	slices.SortFunc(seen, pods.Failure.Compare)
	st := &state{o: Observation{Now: epoch.Add(time.Hour), App: c.app, ExecutorFailures: seen}}
	st.s.Executors = c.status.DeepCopy()
	if c.driver != nil {
		st.s.Driver = &v1alpha1.DriverStatus{PodName: c.driver.Name}
		st.o.Pods = []*pods.Record{c.driver}
	}
	c.status = &v1alpha1.ExecutorStatus{}
	c.status.Failed, c.status.Failures = countFailures(st)
}

// shows returns the number of failures, and the pods of those that the status lists.
func (c *counting) shows() string {
	shown := []string{fmt.Sprint(c.status.Failed)}
	for _, f := range c.status.Failures {
		shown = append(shown, strings.TrimPrefix(f.Pod, "pi-exec-"))
	}
	return strings.Join(shown, " ")
}

func TestExecutorFailures(t *testing.T) {
	t.Parallel()
	f := failedAt
	tests := map[string]struct {
		// passes are the failures that each pass sees.
		passes [][]pods.Failure
		want   string
	}{
		"none":                                   {[][]pods.Failure{nil, nil}, "0"},
		"one, seen again and again":              {[][]pods.Failure{{f(1, 1)}, {f(1, 1)}, {f(1, 1)}}, "1 1"},
		"one whose pod is gone, after a restart": {[][]pods.Failure{{f(1, 1)}, nil}, "1 1"},
		"two":                                    {[][]pods.Failure{{f(1, 1)}, {f(1, 1), f(2, 2)}}, "2 1 2"},
		"many at once":                           {[][]pods.Failure{{f(1, 1), f(2, 1), f(3, 1), f(4, 1), f(5, 1), f(6, 1), f(7, 1)}}, "7 3 4 5 6 7"},
		"many, again":                            {[][]pods.Failure{{f(1, 1), f(2, 1), f(3, 1), f(4, 1), f(5, 1), f(6, 1), f(7, 1)}, {f(1, 1), f(2, 1), f(3, 1), f(4, 1), f(5, 1), f(6, 1), f(7, 1)}}, "7 3 4 5 6 7"},
		"a restart":                              {[][]pods.Failure{{f(1, 1), f(2, 2), f(3, 3), f(4, 4), f(5, 5), f(6, 6)}, nil, {f(7, 7)}, {f(7, 7), f(8, 8)}}, "8 4 5 6 7 8"},
		"a restart while failed pods stay":       {[][]pods.Failure{{f(1, 1), f(2, 2), f(3, 3), f(4, 4), f(5, 5), f(6, 6)}, {f(1, 1), f(2, 2), f(3, 3), f(4, 4), f(5, 5), f(6, 6), f(7, 7)}}, "7 3 4 5 6 7"},
		"known late":                             {[][]pods.Failure{{f(2, 2), f(3, 3), f(4, 4), f(5, 5), f(6, 6)}, {f(1, 1), f(2, 2), f(3, 3), f(4, 4), f(5, 5), f(6, 6)}}, "6 2 3 4 5 6"},
		"without a time":                         {[][]pods.Failure{{{Pod: "pi-exec-1"}}, {{Pod: "pi-exec-1"}}}, "1 1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &counting{app: newWorld(t).app}
			for _, seen := range tc.passes {
				c.sees(seen...)
			}
			if got := c.shows(); got != tc.want {
				t.Errorf("shows %q, want %q", got, tc.want)
			}
		})
	}
}

// TestShownFailure: everything about it that people want to know.
func TestShownFailure(t *testing.T) {
	t.Parallel()
	c := &counting{app: newWorld(t).app}
	c.sees(failedAt(1, 5))
	want := []v1alpha1.ExecutorFailure{{Pod: "pi-exec-1", Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](1),
		Message: "executor ended with exit code 1", At: c.status.Failures[0].At}}
	if diff := cmp.Diff(want, c.status.Failures); diff != "" || !c.status.Failures[0].At.Time.Equal(epoch.Add(5*time.Second)) {
		t.Errorf("shown (-want +got):\n%s at %s", diff, c.status.Failures[0].At)
	}
}

// TestExecutorsThatGoWithTheirDriver have not failed.
func TestExecutorsThatGoWithTheirDriver(t *testing.T) {
	t.Parallel()
	app := newWorld(t).app
	c := &counting{app: app, driver: &pods.Record{Trouble: &pods.Trouble{}, Name: "pi-driver", Role: pods.Driver, Origin: &pods.Origin{OwnerUID: app.UID},
		Phase: corev1.PodFailed, Ended: &pods.Ended{ExitCode: 1, At: epoch.Unix() + 10}}}
	c.sees(failedAt(1, 9), failedAt(2, 10), failedAt(3, 11))
	if got, want := c.shows(), "1 1"; got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
}

// TestFailuresAreCountedOnce plays failures that become known late, and operators that restart and see only the
// failures of existing pods. The number is never above the true one, and equals it while one operator sees everything.
func TestFailuresAreCountedOnce(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 300, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := &counting{app: newWorld(t).app}
		// seen are the failures that the current operator has seen.
		var truth, seen []pods.Failure
		restarted := false
		for second := range 40 {
			for range r.IntN(3) {
				truth = append(truth, failedAt(len(truth)+1, second-r.IntN(3)))
				seen = append(seen, truth[len(truth)-1])
			}
			// Some of the pods that failed still exist.
			if r.IntN(20) == 0 {
				restarted, seen = true, nil
				for _, f := range truth {
					if r.IntN(2) == 0 {
						seen = append(seen, f)
					}
				}
			}
			// A store remembers a limited number.
			if len(seen) > 32 {
				slices.SortFunc(seen, pods.Failure.Compare)
				seen = seen[len(seen)-32:]
			}
			c.sees(slices.Clone(seen)...)
			got, want := int(c.status.Failed), len(truth)
			if got > want || !restarted && len(truth) <= 32 && got != want || len(c.status.Failures) > maxExecutorFailures {
				t.Fatalf("seed %d, second %d: %d are counted and %d shown of %d, restarted: %t", seed, second, got, len(c.status.Failures), want, restarted)
			}
		}
	})
}

// TestNoteQuotesTheFailureThatTells: executors that lose their driver while it gives up do not hide why it did.
func TestNoteQuotesTheFailureThatTells(t *testing.T) {
	t.Parallel()
	failed := func(code int32, message string) v1alpha1.ExecutorFailure {
		return v1alpha1.ExecutorFailure{ExitCode: &code, Message: message}
	}
	lost := failed(lostDriverExit, "exit code 1")
	for name, tt := range map[string]struct {
		failures []v1alpha1.ExecutorFailure
		want     string
	}{
		"none":                     {nil, ""},
		"the last one tells":       {[]v1alpha1.ExecutorFailure{lost, failed(52, "first"), failed(137, "last")}, "; executors that had failed before: 7, the last one: last"},
		"those after it were lost": {[]v1alpha1.ExecutorFailure{failed(52, "first"), failed(137, "memory"), lost, lost}, "; executors that had failed before: 7, one of them: memory"},
		"a lost node has no code":  {[]v1alpha1.ExecutorFailure{{Message: "evicted"}, lost}, "; executors that had failed before: 7, one of them: evicted"},
		"all of them":              {[]v1alpha1.ExecutorFailure{lost, failed(lostDriverExit, "the last")}, "; executors that had failed before: 7, the last one: the last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := &state{s: v1alpha1.SparkApplicationStatus{Executors: &v1alpha1.ExecutorStatus{Failed: 7, Failures: tt.failures}}}
			if got := failuresNote(st); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
