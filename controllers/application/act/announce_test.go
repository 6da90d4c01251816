// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// TestEventsOnlyPrint: an event prints its message on one line, without control sequences for terminals.
func TestEventsOnlyPrint(t *testing.T) {
	t.Parallel()
	recorder := events.NewFakeRecorder(1)
	announcer := &Announcer{Recorder: recorder}
	announcer.Announce(&v1alpha1.SparkApplication{}, lifecycle.Event{Warning: true, Reason: "Failed", Message: "a\nb\x1b[2J\u202e%d"})
	const want = `Warning Failed a\nb\x1b[2J\u202e%d`
	if got := <-recorder.Events; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStageEventsHaveABudget: events report the stages of thousands of applications until the namespace has used up its
// budget. Failures and ends are always reported, as are stages in other namespaces.
func TestStageEventsHaveABudget(t *testing.T) {
	t.Parallel()
	clock := clocktesting.NewFakeClock(time.Unix(1_700_000_000, 0))
	recorder := events.NewFakeRecorder(10 * eventBurst)
	announcer := &Announcer{Recorder: recorder, StageEvents: NewStageEvents(clock)}
	reach := func(namespace string, announced ...lifecycle.Event) int {
		before := len(recorder.Events)
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pi"}}
		app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.QueuedReason}}
		for _, a := range announced {
			announcer.Announce(app, a)
		}
		announcer.RecordStage(&v1alpha1.SparkApplication{}, app, announced)
		return len(recorder.Events) - before
	}
	for range 4 * eventBurst {
		reach("a")
	}
	if n := len(recorder.Events); n != eventBurst {
		t.Errorf("%d events; want %d", n, eventBurst)
	}
	if n := reach("a", lifecycle.Event{Warning: true, Reason: v1alpha1.QueuedReason}); n != 1 {
		t.Errorf("a warning is told %d times", n)
	}
	if n := reach("b"); n != 1 {
		t.Errorf("what another namespace reaches is told %d times", n)
	}
	clock.Step(time.Second)
	if n := reach("a"); n != 1 {
		t.Errorf("a second later a stage is told %d times", n)
	}
}
