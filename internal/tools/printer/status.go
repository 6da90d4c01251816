// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// aheadShown is the number of applications ahead of another one that are listed, as in the live view.
const aheadShown = 5

// FromStatus returns the explanation that the statuses of an application and of its queue allow; queue may be nil.
func FromStatus(app *v1alpha1.SparkApplication, queue *v1alpha1.SparkQueue) v1.Application {
	out := v1.Application{
		Namespace: app.Namespace, Name: app.Name, UID: string(app.UID), Queue: app.Status.Queue, State: v1.Absent,
	}
	if ready := meta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		out.Stage, out.StageMessage = ready.Reason, ready.Message
	}
	if g := app.Status.Grant; g != nil {
		out.State, out.Holds = v1.Granted, holdOf(g)
		takeGated(out.Holds, app.Status.Executors)
		if app.Status.Stopping == v1alpha1.StopPreempted {
			out.State = v1.Evicting
		}
		takeDelegated(&out, app)
		return out
	}
	switch out.Stage {
	case "":
		out.State = v1.Undecided
	case v1alpha1.ReferenceNotFoundReason:
		out.State, out.Reason, out.Message = v1.Waiting, out.Stage, out.StageMessage
	case v1alpha1.QueuedReason, v1alpha1.PreemptedReason:
		out.State = v1.Waiting
	case v1alpha1.ExceedsQuotaReason, v1alpha1.DeactivatedReason, v1alpha1.FlavorMismatchReason:
		out.State = v1.Refused
	default:
		return out
	}
	if admitted := meta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition); admitted != nil && out.Reason == "" {
		out.Reason, out.Message = admitted.Reason, admitted.Message
	}
	out.Waits = &v1.Wait{Run: app.Status.Run, Attempt: app.Status.Attempt, Since: app.Status.Times.Queued}
	if queue != nil {
		takePlace(out.Waits, app, headsOf(queue.Status.Heads))
	}
	return out
}

// takeDelegated tells an attempt whose pods wait in a queue of the scheduler as one that waits: it holds nothing yet.
func takeDelegated(out *v1.Application, app *v1alpha1.SparkApplication) {
	admitted := meta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition)
	if admitted == nil || admitted.Reason != v1alpha1.DelegatedToSchedulerReason || app.Status.Times.DriverStarted != nil || app.Status.Times.Waiting == nil {
		return
	}
	out.State, out.Reason, out.Message = v1.Waiting, admitted.Reason, out.StageMessage
	out.Waits = &v1.Wait{Run: out.Holds.Run, Attempt: out.Holds.Attempt, Since: app.Status.Times.Queued, PodSets: out.Holds.PodSets}
	out.Holds = nil
}

// UsesSparkQueue reports whether the application's gate uses SparkQueues. The queues of other gates may have the same
// names as SparkQueues.
func UsesSparkQueue(app *v1alpha1.SparkApplication) bool {
	gate := status.GateOf(app)
	return gate == "" || catalog.Of(gate).SparkQueues
}

// takeGated copies the number of executors that wait behind their scheduling gates.
func takeGated(h *v1.Hold, e *v1alpha1.ExecutorStatus) {
	if e != nil && e.Gated > 0 {
		h.SchedulingGated, h.SchedulingGatedMessage = e.Gated, e.Problem
	}
}

// takePlace looks for an application among the first in line, and copies its place.
func takePlace(w *v1.Wait, app *v1alpha1.SparkApplication, heads []v1.Head) {
	at := slices.IndexFunc(heads, func(h v1.Head) bool {
		return h.Kind == v1alpha1.SparkApplicationKind && h.Namespace == app.Namespace && h.Name == app.Name
	})
	if at < 0 {
		return
	}
	w.Position, w.Priority, w.Ahead = heads[at].Position, heads[at].Priority, heads[max(0, at-aheadShown):at]
}

func headsOf(heads []v1alpha1.QueueHead) []v1.Head {
	var out []v1.Head
	for _, h := range heads {
		out = append(out, v1.Head{Position: int(h.Position), Kind: h.Kind, Namespace: h.Namespace, Name: h.Name, Priority: h.Priority})
	}
	return out
}

func holdOf(g *v1alpha1.Grant) *v1.Hold {
	out := &v1.Hold{Run: g.Run, Attempt: g.Attempt}
	for _, p := range g.PodSets {
		set := v1.PodSet{Name: p.Name, Count: p.Count, Elastic: p.Elastic, Flavor: p.Flavor, Requests: map[string]resource.Quantity{}}
		for name, q := range p.Requests {
			set.Requests[string(name)] = q
		}
		out.PodSets = append(out.PodSets, set)
	}
	return out
}

// FromQueueStatus returns the explanation that the status of a queue allows.
func FromQueueStatus(queue *v1alpha1.SparkQueue) v1.Queue {
	s := &queue.Status
	out := v1.Queue{Name: queue.Name, Parent: queue.Spec.Parent, Pending: s.Pending, Admitted: s.Admitted, Heads: headsOf(s.Heads)}
	if ready := meta.FindStatusCondition(s.Conditions, v1alpha1.ReadyCondition); ready != nil && ready.Status != metav1.ConditionTrue {
		out.Problem, out.Message = ready.Reason, ready.Message
	}
	if p := queue.Spec.StopPolicy; p == v1alpha1.StopPolicyHold || p == v1alpha1.StopPolicyHoldAndDrain {
		out.StoppedBy, out.Drained = queue.Name, p == v1alpha1.StopPolicyHoldAndDrain
	}
	for _, u := range s.Usage {
		out.Usage = append(out.Usage, v1.Usage{Resource: u.Resource, Flavor: u.Flavor, Used: u.Used, Nominal: u.Nominal, Borrowed: u.Borrowed, Reserved: u.Reserved})
	}
	return out
}
