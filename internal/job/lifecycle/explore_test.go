// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

var depth = flag.Int("depth", 5, "how many things happen one after the other in TestEveryOrder")

// happening is one thing that may happen next; it returns false if it cannot happen now.
type happening struct {
	name string
	do   func(*world) bool
}

// happenings are everything that may happen to one application, without randomness: TestEveryOrder plays them in every
// order.
var happenings = []happening{
	{"the driver runs", func(w *world) bool {
		d := w.liveDriver()
		if d == nil || d.Running || d.Deleting || d.Ended != nil {
			return false
		}
		w.set(d.Name, func(p *pods.Record) { p.Phase, p.Running, p.Ready, p.Scheduled = corev1.PodRunning, true, true, true }, "runs")
		return true
	}},
	{"the driver succeeds", func(w *world) bool { return w.driverEnds(0) }},
	{"the driver fails", func(w *world) bool { return w.driverEnds(1) }},
	{"the driver is deleted by somebody", func(w *world) bool {
		d := w.liveDriver()
		if d == nil || w.app == nil || w.app.Status.Driver == nil || w.app.Status.Driver.UID != d.UID {
			return false
		}
		w.ended(d.Name)
		return true
	}},
	{"the driver, which has ended, is deleted by somebody", func(w *world) bool { return w.deletesEnded() }},
	{"executors run", func(w *world) bool {
		d := w.liveDriver()
		if d == nil || !d.Running || w.app == nil || !w.current(d) || w.pods[d.Name+"-exec-1"] != nil {
			return false
		}
		w.executor(d.Name+"-exec-1", true)
		w.executor(d.Name+"-exec-2", true)
		return true
	}},
	{"the kubelet ends what is asked to end", func(w *world) bool {
		done := false
		for _, name := range w.podNames() {
			if w.pods[name].Deleting {
				w.ended(name)
				done = true
			}
		}
		return done
	}},
	{"the user suspends", func(w *world) bool {
		return w.app != nil && !w.app.Spec.Suspend && w.user("suspends", func(s *v1alpha1.SparkApplicationSpec) { s.Suspend = true })
	}},
	{"the user resumes", func(w *world) bool {
		return w.app != nil && w.app.Spec.Suspend && w.user("resumes", func(s *v1alpha1.SparkApplicationSpec) { s.Suspend = false })
	}},
	{"the user edits", func(w *world) bool {
		return w.app != nil && w.app.Spec.RunID == "" && w.user("edits", func(s *v1alpha1.SparkApplicationSpec) { s.RunID = "b" })
	}},
	{"the user deletes", func(w *world) bool {
		if w.app == nil || !w.app.DeletionTimestamp.IsZero() {
			return false
		}
		w.remove()
		return true
	}},
	{"the queue fills", func(w *world) bool {
		if w.room == queueing.Waiting {
			return false
		}
		w.room = queueing.Waiting
		return true
	}},
	{"the queue empties", func(w *world) bool {
		if w.room == queueing.Granted {
			return false
		}
		w.room = queueing.Granted
		return true
	}},
	{"the gate wants its room back", func(w *world) bool {
		if w.granted == nil || w.wanted != nil {
			return false
		}
		w.wants(queueing.ReasonPreempted, "queue team-b takes its quota back")
		return true
	}},
	{"the watch stands still", func(w *world) bool {
		if w.lagging != nil {
			return false
		}
		w.lagging = maps.Clone(w.pods)
		return true
	}},
	{"the watch goes on", func(w *world) bool {
		lags := w.lagging != nil
		w.lagging = nil
		return lags
	}},
	{"time passes until the operator looks", func(w *world) bool {
		if w.app == nil {
			return false
		}
		due := w.clone().pass().RequeueAt
		if !due.After(w.now) {
			return false
		}
		w.now = due
		return true
	}},
	{"the operator crashes before its first step", crash(0)},
	{"the operator crashes after one step", crash(1)},
	{"the operator crashes after two steps", crash(2)},
}

func crash(after int) func(*world) bool {
	return func(w *world) bool {
		w.crashes(after)
		w.lagging = nil
		clear(w.endSeen)
		w.memory.forget()
		return true
	}
}

func (w *world) driverEnds(code int32) bool {
	d := w.liveDriver()
	if d == nil || !d.Running {
		return false
	}
	w.set(d.Name, func(p *pods.Record) {
		p.Phase, p.Running, p.Ended = corev1.PodSucceeded, false, &pods.Ended{ExitCode: code}
		if code != 0 {
			p.Phase = corev1.PodFailed
		}
	}, fmt.Sprintf("exits with %d", code))
	return true
}

// clone copies a world. Records of pods are replaced, never changed, so the copies share them.
func (w *world) clone() *world {
	c := *w
	if w.app != nil {
		c.app = w.app.DeepCopy()
	}
	c.pods, c.lagging = maps.Clone(w.pods), maps.Clone(w.lagging)
	c.endSeen, c.created, c.places, c.stray = maps.Clone(w.endSeen), maps.Clone(w.created), maps.Clone(w.places), maps.Clone(w.stray)
	c.objects, c.kept = maps.Clone(w.objects), maps.Clone(w.kept)
	c.log = slices.Clip(w.log)
	return &c
}

// state identifies everything that the future depends on.
func (w *world) state() [sha256.Size]byte {
	visible := make([]*pods.Record, 0, len(w.lagging))
	for _, name := range slices.Sorted(maps.Keys(w.lagging)) {
		visible = append(visible, w.lagging[name])
	}
	live := make([]*pods.Record, 0, len(w.pods))
	for _, name := range w.podNames() {
		live = append(live, w.pods[name])
	}
	seen := map[string]seenEnd{}
	for uid, end := range w.endSeen {
		seen[string(uid)] = end
	}
	text, err := json.Marshal([]any{w.now, w.app, live, w.lagging != nil, visible, w.room, w.wanted, w.granted, seen, w.stray, fmt.Sprint(w.objects, w.kept), w.memory.known()})
	if err != nil {
		w.t.Fatal(err)
	}
	return sha256.Sum256(text)
}

// TestEveryOrder plays what may happen to one application in every order, up to a depth, with a pass of the operator
// after each. The promises hold in every reachable state; and from each of them, left alone, the application comes to
// an end and holds nothing.
func TestEveryOrder(t *testing.T) {
	lives := map[string]func(*v1alpha1.SparkApplicationSpec){
		"plain": func(*v1alpha1.SparkApplicationSpec) {},
		"retried": func(s *v1alpha1.SparkApplicationSpec) {
			s.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, MaxAttempts: ptr.To[int32](2)}
			s.Timeouts = &v1alpha1.Timeouts{Run: seconds(60), ExecutorStart: seconds(30)}
		},
		"restarted": func(s *v1alpha1.SparkApplicationSpec) {
			s.OnTemplateChange = v1alpha1.TemplateChangeRestart
			s.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionNever}
		},
	}
	for name, set := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			set(&w.app.Spec)
			w.memory.on = name == "retried"
			w.pass()
			states, moves := explore(w, *depth)
			t.Logf("%d states by %d moves, to a depth of %d", states, moves, *depth)
			if states < 1000 {
				t.Errorf("only %d states were reached: the test shows little", states)
			}
		})
	}
}

// explore visits every state that is reachable from a world in at most depth moves, each state once.
func explore(from *world, depth int) (states, moves int) {
	known := map[[sha256.Size]byte]bool{from.state(): true}
	edge := []*world{from}
	for range depth {
		var next []*world
		for _, w := range edge {
			for _, h := range happenings {
				c := w.clone()
				if !h.do(c) {
					continue
				}
				c.pass()
				moves++
				if key := c.state(); !known[key] {
					known[key] = true
					next = append(next, c)
				}
			}
		}
		edge = next
	}
	for _, w := range edge {
		w.comesToRest()
		w.onlyOnce()
	}
	return len(known), moves
}

// onlyOnce checks that no attempt ever had two drivers.
func (w *world) onlyOnce() {
	w.t.Helper()
	for attempt, n := range w.created {
		if n > 1 {
			w.t.Fatalf("attempt %s had %d drivers\n%s", attempt, n, w.story())
		}
	}
}
