// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"testing"
	"time"

	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
)

// anAsk returns the same ask, whatever was asked before.
func anAsk() queueing.Ask {
	ask := gatetest.NewAsk("default", "pi", "team-a")
	ask.Key.Name, ask.Key.UID = "pi", "7f3d"
	ask.QueuedAt = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	ask.Objects.Name, ask.Objects.Owner.Name, ask.Objects.Owner.UID = "pi-4c1d2-1-1", "pi", "7f3d"
	ask.Objects.Labels = map[string]string{v1alpha1.ApplicationLabel: "pi", v1alpha1.ApplicationUIDLabel: "7f3d", v1alpha1.QueueLabel: "team-a"}
	return ask
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*queueing.Ask){
		"plain": func(*queueing.Ask) {},
		"everything": func(ask *queueing.Ask) {
			ask.PodSets[1].Count, ask.PodSets[1].MinCount = 10, 4
			ask.PodSets[1].Requests["nvidia.com/gpu"] = 1
			ask.Objects.PriorityClass, ask.Objects.StartEarly = "nightly", true
			ask.Objects.UserAnnotations = map[string]string{"volcano.sh/sla-waiting-time": "1h", "example.org/owner": "me"}
		},
		"driver-only": func(ask *queueing.Ask) { ask.PodSets[1].Count = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := anAsk()
			change(&ask)
			golden.CompareYAML(t, "testdata/"+name+"-group.yaml", groupFor(ask))
			golden.CompareYAML(t, "testdata/"+name+"-grant.yaml", convert.ToAPI(*Grant(ask)))
		})
	}
}

// TestSharesNothing: the group has no memory in common with the ask, which its creator may change.
func TestSharesNothing(t *testing.T) {
	t.Parallel()
	ask := anAsk()
	group, grant := groupFor(ask), Grant(ask)
	group.Labels["a"] = "b"
	grant.PodSets[0].Requests["cpu"] = 1
	if _, found := ask.Objects.Labels["a"]; found || ask.PodSets[0].Requests["cpu"] == 1 {
		t.Error("the group or the grant shares something with the ask")
	}
}

func TestSameSpec(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*queueing.Ask)
		same   bool
	}{
		"nothing":          {func(*queueing.Ask) {}, true},
		"executors":        {func(a *queueing.Ask) { a.PodSets[1].Count++ }, false},
		"requests":         {func(a *queueing.Ask) { a.PodSets[1].Requests["cpu"]++ }, false},
		"more than needed": {func(a *queueing.Ask) { a.PodSets[1].MinCount, a.PodSets[1].Count = 2, 9 }, true},
		"place in line":    {func(a *queueing.Ask) { a.QueuedAt = a.QueuedAt.Add(time.Hour) }, true},
		"queue":            {func(a *queueing.Ask) { a.Objects.Labels[v1alpha1.QueueLabel] = "team-b" }, false},
		"priority class":   {func(a *queueing.Ask) { a.Objects.PriorityClass = "urgent" }, false},
		"start early":      {func(a *queueing.Ask) { a.Objects.StartEarly = true }, false},
		"Volcano annotation": {func(a *queueing.Ask) {
			a.Objects.UserAnnotations = map[string]string{"volcano.sh/sla-waiting-time": "1h"}
		}, false},
		"other annotation": {func(a *queueing.Ask) { a.Objects.UserAnnotations = map[string]string{"example.org/a": "b"} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group, ask := groupFor(anAsk()), anAsk()
			group.Spec.Queue = "of-the-namespace" // Volcano's webhook replaces the queue default
			group.Annotations["volcano.sh/other"] = "by somebody else"
			c.change(&ask)
			if got := sameSpec(group, groupFor(ask)); got != c.same {
				t.Errorf("same %t, want %t", got, c.same)
			}
		})
	}
}

func TestPhases(t *testing.T) {
	t.Parallel()
	for phase, in := range map[v1beta1.PodGroupPhase]bool{
		"": false, v1beta1.PodGroupPending: false, v1beta1.PodGroupInqueue: true, v1beta1.PodGroupRunning: true,
		v1beta1.PodGroupUnknown: true, v1beta1.PodGroupCompleted: true, "Novel": false,
	} {
		group := groupFor(anAsk())
		group.Status.Phase = phase
		if admitted(group) != in || holds(group) != in {
			t.Errorf("phase %q: admitted %t, holds %t, want %t", phase, admitted(group), holds(group), in)
		}
		group.Annotations[earlyAnnotation] = "true"
		if !holds(group) {
			t.Errorf("phase %q: a group that was started early may have a driver", phase)
		}
	}
}
