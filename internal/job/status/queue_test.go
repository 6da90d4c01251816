// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

func TestEveryQueueStateIsUnderstood(t *testing.T) {
	t.Parallel()
	blocked := func(reason string) string { return "Stalled=True/" + reason + " Ready=False/" + reason }
	tests := map[string]struct {
		state         status.QueueState
		want          string
		kstatus, argo string
	}{
		"active":         {status.QueueActive, "Ready=True/Active", current, healthy},
		"parent missing": {status.QueueParentNotFound, "Reconciling=True/ProgressingWithRetry Ready=False/ParentNotFound", inProgress, progressing},
		"cycle":          {status.QueueCycle, blocked("Cycle"), failed, degraded},
		"invalid spec":   {status.QueueInvalidSpec, blocked("InvalidSpec"), failed, degraded},
		"no quota":       {status.QueueNoQuota, "Reconciling=True/ProgressingWithRetry Ready=False/NoQuota", inProgress, progressing},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Generation: 2}}
			queue.Status.ObservedGeneration = 2
			queue.Status.Conditions = status.QueueConditions(nil, status.QueueView{State: tc.state, Generation: 2}, at(0))
			if got := short(queue.Status.Conditions); got != tc.want {
				t.Errorf("conditions (-want +got):\n-%s\n+%s", tc.want, got)
			}
			u := served(t, v1alpha1.SparkQueueKind, queue)
			if got := kstatusOf(t, u); got != tc.kstatus {
				t.Errorf("kstatus says %s, want %s", got, tc.kstatus)
			}
			if got, _ := argoOf(t, u); got != tc.argo {
				t.Errorf("Argo CD says %s, want %s", got, tc.argo)
			}
			checkFlux(t, atRest, queue)
			again := status.QueueConditions(queue.Status.Conditions, status.QueueView{State: tc.state, Generation: 2}, at(9))
			if diff := cmp.Diff(queue.Status.Conditions, again); diff != "" {
				t.Errorf("the same view is written twice (-first +second):\n%s", diff)
			}
		})
	}
}

func TestUnknownQueueStateChangesNothing(t *testing.T) {
	t.Parallel()
	old := status.QueueConditions(nil, status.QueueView{State: status.QueueActive}, at(0))
	if diff := cmp.Diff(old, status.QueueConditions(old, status.QueueView{State: "Sleeping"}, at(1))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFreshQueueIsWaitedFor(t *testing.T) {
	t.Parallel()
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Generation: 1}}
	queue.Status.ObservedGeneration = -1
	u := served(t, v1alpha1.SparkQueueKind, queue)
	if got := kstatusOf(t, u); got != inProgress {
		t.Errorf("kstatus says %s, want %s", got, inProgress)
	}
	if got, _ := argoOf(t, u); got != progressing {
		t.Errorf("Argo CD says %s, want %s", got, progressing)
	}
}
