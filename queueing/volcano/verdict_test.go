// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/queueing"
)

func TestQueueVerdict(t *testing.T) {
	t.Parallel()
	queue := func(state v1beta1.QueueState, limits ...string) *v1beta1.Queue {
		q := &v1beta1.Queue{Status: v1beta1.QueueStatus{State: state}}
		for i := 0; i < len(limits); i += 2 {
			if q.Spec.Capability == nil {
				q.Spec.Capability = corev1.ResourceList{}
			}
			q.Spec.Capability[corev1.ResourceName(limits[i])] = resource.MustParse(limits[i+1])
		}
		return q
	}
	for name, c := range map[string]struct {
		queue  *v1beta1.Queue
		state  queueing.State
		reason string
		words  []string
	}{
		"open":                    {queue: queue(v1beta1.QueueStateOpen)},
		"enough":                  {queue: queue(v1beta1.QueueStateOpen, "cpu", "800m", "memory", "1536Mi")},
		"of another resource":     {queue: queue(v1beta1.QueueStateOpen, "nvidia.com/gpu", "0")},
		"does not exist":          {nil, queueing.Waiting, "ReferenceNotFound", []string{`Queue "team-a"`, "does not exist", "create it"}},
		"not opened yet":          {queue(""), queueing.Waiting, "WaitingForGate", []string{"has not been opened", "controllers"}},
		"closed":                  {queue(v1beta1.QueueStateClosed), queueing.Waiting, "QueueHeld", []string{"Closed"}},
		"closing":                 {queue(v1beta1.QueueStateClosing), queueing.Waiting, "QueueHeld", []string{"Closing"}},
		"too small for ever":      {queue(v1beta1.QueueStateOpen, "cpu", "799m"), queueing.Refused, "ExceedsQuota", []string{"needs cpu 800m", `Queue "team-a" is 799m`, "spec.capability"}},
		"too small in one of two": {queue(v1beta1.QueueStateOpen, "cpu", "4", "memory", "1Gi"), queueing.Refused, "ExceedsQuota", []string{"memory 1536Mi", "1Gi"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := anAsk()
			v := queueVerdict(ask, groupFor(ask), c.queue)
			if c.reason == "" {
				if v != nil {
					t.Fatalf("verdict %+v, want none", v)
				}
				return
			}
			if v == nil || v.State != c.state || v.Reason != c.reason || v.Grant != nil {
				t.Fatalf("verdict %+v, want %s/%s", v, c.state, c.reason)
			}
			for _, word := range c.words {
				if !strings.Contains(v.Message, word) {
					t.Errorf("message %q has no %q", v.Message, word)
				}
			}
		})
	}
}

// TestMessageOfTheWait: the message names what is needed, but no counts that Volcano changes without an event.
func TestMessageOfTheWait(t *testing.T) {
	t.Parallel()
	ask := anAsk()
	group := groupFor(ask)
	before := waitsFor(ask, group, false)
	group.Status.Conditions = []v1beta1.PodGroupCondition{{Type: v1beta1.PodGroupUnschedulableType, Message: "0/0 tasks in gang unschedulable: pod group is not ready, 1 minAvailable"}}
	if after := waitsFor(ask, group, false); after.Message != before.Message {
		t.Errorf("the message ticks: %s", after.Message)
	}
	want := `waits for quota in Volcano's Queue "team-a": the base gang needs cpu 800m, memory 1536Mi; PodGroup pi-4c1d2-1-1 is Pending`
	if before.Message != want || before.Reason != queueing.ReasonWaitingForQuota {
		t.Errorf("%s: %s\nwant %s: %s", before.Reason, before.Message, queueing.ReasonWaitingForQuota, want)
	}
	want += "; the Queue is the parent of others: where Volcano's queues form a hierarchy it takes no groups, so name one of those"
	if inner := waitsFor(ask, group, true); inner.Message != want {
		t.Errorf("of an inner queue: %s\nwant %s", inner.Message, want)
	}
}

func TestStartEarlyIsDelegated(t *testing.T) {
	t.Parallel()
	ask := anAsk()
	if v := granted(ask); v.State != queueing.Granted || v.Reason != "" {
		t.Errorf("verdict %+v, want Granted without a reason", v)
	}
	ask.Objects.StartEarly = true
	if v := granted(ask); v.State != queueing.Granted || v.Reason != queueing.ReasonDelegatedToScheduler {
		t.Errorf("verdict %+v, want Granted and delegated to the scheduler", v)
	}
}
