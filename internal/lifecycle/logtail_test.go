// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// logTails returns the log tails in the history, with the attempts that they belong to.
func logTails(app *v1alpha1.SparkApplication) []string {
	var all []string
	for _, a := range app.Status.Attempts {
		all = append(all, strings.TrimSpace(a.Reason+" "+a.LogTail))
	}
	return all
}

// again requests another run.
func again(w *world, id string) {
	w.edit("wants another run", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = id })
	w.settle()
	w.runs()
	w.settle()
}

// TestLogTails: a failed attempt has the end of its log, even one that was stopped for its time; only the last three
// attempts keep it. The world has a log for whatever the operator requests.
func TestLogTails(t *testing.T) {
	t.Parallel()
	const tail = "last words of attempt 1"
	steps := []struct {
		name string
		ends func(w *world)
		want []string
	}{
		{"fails", func(w *world) { w.exits(1, "Error") }, []string{"Error " + tail}},
		{"succeeds", func(w *world) { w.exits(0, "Completed") }, []string{"Error " + tail, "Succeeded"}},
		{"is suspended", func(w *world) {
			w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
			w.settle()
			w.ended(w.driverName())
			w.settle()
			w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
			w.settle()
			w.runs()
			w.settle()
			w.ended(w.driverName())
		}, []string{"Error", "Succeeded", "Suspended", "DriverLost"}},
		{"runs too long", func(w *world) {
			w.edit("bounds it", func(a *v1alpha1.SparkApplication) {
				a.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run = seconds(20) })
			})
			w.after(20 * time.Second)
			w.settle()
			w.ended(w.driverName())
		}, []string{"Error", "Succeeded", "Suspended", "DriverLost", "DeadlineExceeded " + tail}},
		{"is lost with its node", func(w *world) {
			w.change(w.driverName(), func(p *pods.Record) { p.Phase, p.Reason = corev1.PodFailed, "NodeLost" })
		}, []string{"Error", "Succeeded", "Suspended", "DriverLost", "DeadlineExceeded " + tail, "NodeLost"}},
	}
	w := newWorld(t)
	for i, step := range steps {
		again(w, step.name)
		step.ends(w)
		w.settle()
		if diff := cmp.Diff(step.want, logTails(w.app)); diff != "" {
			t.Fatalf("step %d, one that %s (-want +got):\n%s\n%s", i, step.name, diff, w.story())
		}
	}
}
