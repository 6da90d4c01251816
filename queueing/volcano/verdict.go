// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/queueing"
)

func waiting(reason, format string, args ...any) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func notInstalled() queueing.Verdict {
	return waiting(queueing.ReasonGateNotInstalled, "gate Volcano needs the kinds PodGroup and Queue of %s, and the cluster does not serve them, "+
		"or the operator may not read them: install Volcano (volcano.sh), or set spec.queue.gate to another gate", v1beta1.SchemeGroupVersion)
}

func unreadable() queueing.Verdict {
	return waiting(queueing.ReasonWaitingForGate, "the kinds PodGroup and Queue of %s cannot be read; the operator continues to try, and its log has the API server's answer: "+
		"check the API server, and that Volcano's controllers run", v1beta1.SchemeGroupVersion)
}

// granted returns the verdict on an ask that may start.
func granted(ask queueing.Ask) queueing.Verdict {
	v := queueing.Verdict{State: queueing.Granted, Grant: Grant(ask)}
	if ask.Objects.StartEarly {
		v.Reason = queueing.ReasonDelegatedToScheduler
	}
	return v
}

// queueVerdict returns why a queue cannot admit the group, or nil if it can. A nil queue does not exist.
func queueVerdict(ask queueing.Ask, wanted *v1beta1.PodGroup, queue *v1beta1.Queue) *queueing.Verdict {
	v := queueing.Verdict{}
	switch {
	case queue == nil:
		v = waiting(queueing.ReasonReferenceNotFound, "Volcano's Queue %q does not exist: create it, or name another one", ask.Queue)
	case queue.Status.State == "":
		v = waiting(queueing.ReasonWaitingForGate, "Volcano's Queue %q has not been opened yet: check that Volcano's controllers run", ask.Queue)
	case queue.Status.State != v1beta1.QueueStateOpen:
		v = waiting(queueing.ReasonQueueHeld, "Volcano's Queue %q is in state %s and admits nothing new until it is Open", ask.Queue, queue.Status.State)
	default:
		name, over := above(*wanted.Spec.MinResources, queue.Spec.Capability)
		if !over {
			return nil
		}
		need, limit := (*wanted.Spec.MinResources)[name], queue.Spec.Capability[name]
		v = queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonExceedsQuota, Message: fmt.Sprintf(
			"the base gang needs %s %s, and the capability of Volcano's Queue %q is %s: request less, or raise the queue's spec.capability",
			name, need.String(), ask.Queue, limit.String())}
	}
	return &v
}

// above returns the first resource whose need exceeds the limit, if any. Resources without a limit do not count. For cpu
// and memory, Volcano regards a limit of zero as none (volcano v1.14, pkg/scheduler/plugins).
func above(need, limit corev1.ResourceList) (corev1.ResourceName, bool) {
	names := make([]corev1.ResourceName, 0, len(limit))
	for name := range limit {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		wanted, allowed := need[name], limit[name]
		unlimited := allowed.IsZero() && (name == corev1.ResourceCPU || name == corev1.ResourceMemory)
		if !unlimited && wanted.Cmp(allowed) > 0 {
			return name, true
		}
	}
	return "", false
}

// waitsFor returns the verdict on a group that Volcano has not admitted. Volcano's own explanation is left out, because
// it counts pods that do not exist yet. Volcano gives none at all for an inner queue, where it admits no group if its
// queues form a hierarchy (volcano v1.14, pkg/scheduler/plugins/capacity); only its configuration shows whether they
// do.
func waitsFor(ask queueing.Ask, group *v1beta1.PodGroup, inner bool) queueing.Verdict {
	hint := ""
	if inner {
		hint = "; the Queue is the parent of others: where Volcano's queues form a hierarchy it takes no groups, so name one of those"
	}
	return waiting(queueing.ReasonWaitingForQuota, "waits for quota in Volcano's Queue %q: the base gang needs %s; PodGroup %s is Pending%s",
		ask.Queue, listed(*group.Spec.MinResources), group.Name, hint)
}

// listed formats resources in the order of their names.
func listed(list corev1.ResourceList) string {
	parts := make([]string, 0, len(list))
	for name, quantity := range list {
		parts = append(parts, fmt.Sprintf("%s %s", name, quantity.String()))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// nameTaken returns the verdict on an ask whose name belongs to an object of another owner.
func nameTaken(ask queueing.Ask) queueing.Verdict {
	return waiting(queueing.ReasonWaitingForGate, "PodGroup %s/%s already exists and belongs to another owner: delete it, or choose another name for %s",
		ask.Key.Namespace, ask.Objects.Name, ask.Key)
}

func terminating(ask queueing.Ask) queueing.Verdict {
	return waiting(queueing.ReasonWaitingForGate, "PodGroup %s/%s is being deleted; it will be recreated when it is gone", ask.Key.Namespace, ask.Objects.Name)
}

func refusedByServer(ask queueing.Ask, err error) queueing.Verdict {
	return waiting(queueing.ReasonWaitingForGate, "the API server refuses PodGroup %s/%s: %s", ask.Key.Namespace, ask.Objects.Name, err)
}
