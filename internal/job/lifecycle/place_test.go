// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestPlace: the place in line begins when the application first asks with what it runs with, and is had by no other way.
func TestPlace(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	suspend := func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true }
	resume := func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false }
	args := func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} }
	pods := func(count, least int32, cpu int64, flavors ...string) []queueing.PodSet {
		return []queueing.PodSet{{Name: "executor", Count: count, MinCount: least, Requests: queueing.Resources{"cpu": cpu}, Flavors: flavors}}
	}
	// queues requests four executors for a minute, then something else; a month later the application still waits.
	queues := func(next []queueing.PodSet) func(*world) {
		return func(w *world) {
			w.podSets = pods(4, 2, 1000)
			w.settle()
			w.after(time.Minute)
			w.podSets = next
			w.edit("asks for something else", func(*v1alpha1.SparkApplication) {})
			w.settle()
		}
	}
	for name, tc := range map[string]struct {
		play func(*world)
		want time.Duration
	}{
		"never edited, seen late": {func(w *world) { w.after(month) }, 0},
		"edited before it was seen": {func(w *world) {
			w.after(month)
			w.edit("changes the arguments", args)
		}, month},
		"created suspended, filled and resumed": {func(w *world) {
			suspend(w.app)
			w.settle()
			w.after(month)
			w.edit("fills it", args)
			w.edit("resumes it", resume)
		}, month},
		"created suspended, resumed as it was": {func(w *world) {
			suspend(w.app)
			w.settle()
			w.after(month)
			w.edit("resumes it", resume)
		}, month},
		"created with a broken spec": {func(w *world) {
			w.mistake = "spec is wrong"
			w.settle()
			w.after(month)
			w.mistake = ""
		}, month},
		"something was missing": {func(w *world) {
			w.missing = "ServiceAccount is missing"
			w.settle()
			w.after(month)
			w.missing = ""
		}, month},
		"waited a minute, then suspended for a month": {func(w *world) {
			w.settle()
			w.after(time.Minute)
			w.edit("suspends it", suspend)
			w.settle()
			w.after(month)
			w.edit("resumes it", resume)
		}, month + time.Minute},
		"ran for a month, then suspended for a minute": {func(w *world) {
			w.room = queueing.Granted
			w.settle()
			w.runs()
			w.settle()
			w.after(month)
			w.edit("suspends it", suspend)
			w.settle()
			w.exits(143, "Error")
			w.settle()
			w.after(time.Minute)
			w.room = queueing.Waiting
			w.edit("resumes it", resume)
		}, month + time.Minute},
		"suspended and resumed before it was seen": {func(w *world) {
			w.settle()
			w.after(time.Minute)
			w.edit("suspends it", suspend)
			w.edit("resumes it", resume)
		}, 0},
		"broken when it is resumed": {func(w *world) {
			w.settle()
			w.edit("suspends it", suspend)
			w.settle()
			w.after(month)
			w.mistake = "spec is wrong"
			w.edit("resumes it", resume)
			w.settle()
			w.after(month)
			w.mistake = ""
		}, 2 * month},
		"suspended, and another when resumed": {func(w *world) {
			w.settle()
			w.after(time.Minute)
			w.edit("suspends it", suspend)
			w.settle()
			w.after(month)
			w.edit("fills it", args)
			w.edit("resumes it", resume)
		}, month + time.Minute},
		"edited while it waits": {func(w *world) {
			w.settle()
			w.after(month)
			w.edit("changes the arguments", args)
		}, month},
		"edited while it waits, and ignored": {func(w *world) {
			w.app.Spec.OnTemplateChange = v1alpha1.TemplateChangeIgnore
			w.settle()
			w.after(month)
			w.edit("changes the arguments", args)
		}, month},
		"the same":          {queues(pods(4, 2, 1000)), 0},
		"more executors":    {queues(pods(5, 2, 1000)), time.Minute},
		"fewer executors":   {queues(pods(3, 2, 1000)), 0},
		"fewer at least":    {queues(pods(4, 1, 1000)), 0},
		"more at least":     {queues(pods(4, 3, 1000)), time.Minute},
		"larger executors":  {queues(pods(4, 2, 1001)), time.Minute},
		"smaller executors": {queues(pods(4, 2, 999)), 0},
		"another flavor":    {queues(pods(4, 2, 1000, "spot")), time.Minute},
		"larger because of its namespace": {func(w *world) {
			w.podSets = pods(4, 2, 1000)
			w.settle()
			w.after(time.Minute)
			w.podSets = pods(4, 2, 1100)
		}, 0},
		"far too much for a month, then little": {func(w *world) {
			w.room, w.podSets = queueing.Refused, pods(10_000, 0, 1000)
			w.settle()
			w.after(month)
			w.room, w.podSets = queueing.Waiting, pods(10_000, 1, 1000)
			w.edit("asks for less", func(*v1alpha1.SparkApplication) {})
		}, month},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.room = queueing.Waiting
			tc.play(w)
			w.settle()
			if got := w.app.Status.Times.Queued.Sub(epoch); got != tc.want || w.asked == nil || w.asked.QueuedAt.Sub(epoch) != tc.want {
				t.Errorf("in line since %s, asked as of %+v, want %s\n%s", got, w.asked, tc.want, w.story())
			}
			w.after(time.Hour)
			w.settle()
			if got := w.app.Status.Times.Queued.Sub(epoch); got != tc.want {
				t.Errorf("an hour later it is in line since %s, want %s", got, tc.want)
			}
		})
	}
}
