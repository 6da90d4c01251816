// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

const forEver = 999_999 * time.Hour

// endless deletes a pod with a grace period of eleven days.
func (w *world) endless(name string) {
	const grace = 1_000_000
	w.logf("somebody: deletes %s with a grace period of %d s", name, grace)
	w.change(name, func(p *pods.Record) { p.Deleting, p.EndGrace, p.EndsAt = true, grace, uint32(w.now.Unix())+grace })
}

// evicted does what the control plane does to a pod whose node does not answer: it deletes the pod, which only the
// kubelet could end.
func (w *world) evicted(name string, grace time.Duration) {
	w.logf("control plane: deletes %s with a grace period of %s", name, grace)
	w.change(name, func(p *pods.Record) {
		p.Deleting, p.EndGrace, p.EndsAt = true, uint32(grace.Seconds()), uint32(w.now.Add(grace).Unix())
	})
}

// leaving returns the pods of the application whose deletion was requested and which have not ended.
func (w *world) leaving() []*pods.Record {
	var out []*pods.Record
	for _, p := range w.pods {
		if p.Active() && p.Deleting && p.AppUID == string(w.app.UID) {
			out = append(out, p)
		}
	}
	return out
}

// checkEnds checks that no pod takes longer to end than the operator allows: a longer grace period is cut, and after
// that time a pod on a node that answers is deleted without one.
func (w *world) checkEnds(d Decision) {
	w.t.Helper()
	if w.app == nil || w.budget == 0 || w.lagging != nil {
		return
	}
	stage, _ := status.StageOf(w.app.Status.Conditions)
	soon := !d.RequeueAt.IsZero() && !d.RequeueAt.After(w.now.Add(endingDelay))
	since := w.app.Status.Times.Stopping
	over := stage == status.Finalizing && len(w.unreachable) == 0 && since != nil && !w.now.Before(since.Add(pods.DefaultMaxTermination))
	for _, p := range w.leaving() {
		if p.EndsLate(pods.DefaultMaxTermination) && stage.Active() && !soon {
			w.t.Fatalf("%s may take %d s to end\n%s", p.Name, p.EndGrace, w.story())
		}
		if askedBefore := time.Unix(int64(p.EndsAt), 0).Before(w.now); over && askedBefore {
			w.t.Fatalf("%s is still there, %s after it was to end\n%s", p.Name, w.now.Sub(since.Time), w.story())
		}
	}
}

// TestGraceOfOthers: a pod that others have deleted with a long grace period gets a shorter one in every stage.
func TestGraceOfOthers(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(*world){
		"running": func(*world) {},
		"ended": func(w *world) {
			w.change("pi-1-1-driver-exec-1", func(p *pods.Record) { p.Attempt = 7 }) // a stray
			w.exits(0, "Completed")
			w.settle()
			w.after(endingDelay)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.settle()
			w.runsWithExecutors()
			play(w)
			w.endless("pi-1-1-driver-exec-1")
			w.settle()
			if p := w.pods["pi-1-1-driver-exec-1"]; p == nil || p.EndGrace != 600 {
				t.Errorf("the pod is %+v\n%s", p, w.story())
			}
		})
	}
}

// TestBoundStands: an attempt that passed others because of its timeouts releases its quota in the time that it had promised, whatever the
// spec says since.
func TestBoundStands(t *testing.T) {
	t.Parallel()
	const run, end = 20 * time.Second, time.Minute
	long := &v1alpha1.Duration{Duration: forEver}
	for name, lift := range map[string]func(*v1alpha1.SparkApplicationSpec){
		"no timeouts": func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts = nil },
		"longer run":  func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts.Run = long },
		"later start": func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts.DriverStart = long },
		"longer end":  func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts.Termination = long },
		"all of them": func(s *v1alpha1.SparkApplicationSpec) {
			s.Timeouts = &v1alpha1.Timeouts{Run: long, DriverStart: long, Termination: long}
		},
		"total instead": func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts = &v1alpha1.Timeouts{Total: long} },
	} {
		for stage, play := range map[string]func(*world){
			"before the driver runs": func(*world) {},
			"while it runs":          func(w *world) { w.runs(); w.settle() },
			"while it ends": func(w *world) {
				w.runs()
				w.settle()
				w.after(DefaultDriverStart + run)
				w.settle()
			},
		} {
			t.Run(name+" "+stage, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) {
					t.Run, t.Termination = &v1alpha1.Duration{Duration: run}, &v1alpha1.Duration{Duration: end}
				})
				w.bound = HoldsFor(w.app, pods.DefaultMaxTermination)
				w.settle()
				admitted := w.app.Status.Times.Admitted.Time
				play(w)
				w.user("lifts the bound", lift)
				w.settle()
				for w.granted != nil && w.granted.Attempt == 1 && w.now.Before(admitted.Add(24*time.Hour)) {
					w.nextLook()
				}
				if took := w.now.Sub(admitted); took > w.bound {
					t.Errorf("held its room for %s, and had promised %s\n%s", took, w.bound, w.story())
				}
			})
		}
	}
}
