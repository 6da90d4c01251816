// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"errors"
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// surroundings are the objects that a verdict depends on in addition to the Workload. They are nil if they do not
// exist.
type surroundings struct {
	localQueue   *kueuev1.LocalQueue
	clusterQueue *kueuev1.ClusterQueue
	flavor       func(name string) *kueuev1.ResourceFlavor
}

// notInstalled returns the verdict on every ask while Kueue's kinds are missing.
func notInstalled() queueing.Verdict {
	return waiting(queueing.ReasonGateNotInstalled, "gate Kueue needs the kinds Workload, LocalQueue, ClusterQueue and ResourceFlavor of "+
		"kueue.x-k8s.io/v1beta2, and the cluster does not serve all of them, or the operator may not read them: "+
		"install Kueue 0.19 or later (https://kueue.sigs.k8s.io/docs/installation), or set spec.queue.gate to another gate")
}

// unreadable returns the verdict on every ask while objects of Kueue's kinds may exist but cannot be read.
func unreadable() queueing.Verdict {
	return waiting(queueing.ReasonWaitingForGate, "Workloads and queues of Kueue cannot be read; the operator continues to try, and its log has the API server's answer: "+
		"check that Kueue's controller runs, whose webhook converts them")
}

func waiting(reason, message string) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: reason, Message: message}
}

// verdictOf returns what Kueue says about a Workload that is equal to the ask, has not ended and need not release its
// quota. silent is true if Kueue has not said anything yet.
func verdictOf(ask queueing.Ask, w *kueuev1.Workload, s surroundings) (v queueing.Verdict, silent bool) {
	switch {
	case deactivated(w):
		return deactivation(w), false
	case admitted(w):
		return granted(ask, w, s), false
	case reserved(w):
		return waiting(queueing.ReasonWaitingForGate, checksPending(w)), false
	}
	return queued(ask, w, s)
}

func deactivation(w *kueuev1.Workload) queueing.Verdict {
	why := deactivationMessage(w)
	if why == "" {
		why = "spec.active is false"
	}
	return queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonQueueHeld,
		Message: fmt.Sprintf("Workload %s was deactivated: %s; to continue, set spec.suspend to true and back to false, or change spec.runID to run again",
			w.Name, strings.TrimSuffix(why, "."))}
}

// granted returns the verdict on an admission.
func granted(ask queueing.Ask, w *kueuev1.Workload, s surroundings) queueing.Verdict {
	if w.Status.Admission == nil {
		return waiting(queueing.ReasonWaitingForGate, fmt.Sprintf("Workload %s is admitted without an assignment of flavors", w.Name))
	}
	grant, err := grantOf(ask, w, s.flavor)
	var contrary *contradiction
	switch {
	case errors.As(err, &contrary):
		return queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonFlavorMismatch, Message: err.Error()}
	case err != nil:
		return waiting(queueing.ReasonWaitingForGate, err.Error())
	}
	return queueing.Verdict{State: queueing.Granted, Grant: grant}
}

// contradicts reports whether a verdict says that the admission can never be used as it is.
func contradicts(v queueing.Verdict) bool {
	return v.State == queueing.Refused && v.Reason == queueing.ReasonFlavorMismatch
}

// checksPending names the admission checks that are not ready.
func checksPending(w *kueuev1.Workload) string {
	var pending []string
	for i := range w.Status.AdmissionChecks {
		c := &w.Status.AdmissionChecks[i]
		switch {
		case c.State == kueuev1.CheckStateReady:
		case c.Message == "":
			pending = append(pending, fmt.Sprintf("%s is %s", c.Name, c.State))
		default:
			pending = append(pending, fmt.Sprintf("%s is %s (%s)", c.Name, c.State, stabilise(c.Message)))
		}
	}
	where := ""
	if w.Status.Admission != nil {
		where = " in ClusterQueue " + string(w.Status.Admission.ClusterQueue)
	}
	if len(pending) == 0 {
		return fmt.Sprintf("has quota%s and waits for Kueue to admit it", where)
	}
	return fmt.Sprintf("has quota%s and waits for admission checks: %s", where, strings.Join(pending, ", "))
}

// queued returns why a Workload has no quota. The state of the queues comes first, because Kueue updates the Workload's
// condition later.
func queued(ask queueing.Ask, w *kueuev1.Workload, s surroundings) (v queueing.Verdict, silent bool) {
	if v, found := queueTrouble(ask, s); found {
		return v, false
	}
	if backoff := backoffOf(w); backoff != "" {
		return waiting(queueing.ReasonWaitingForGate, backoff), false
	}
	c, queue := conditionOf(w, kueuev1.WorkloadQuotaReserved), "ClusterQueue "+string(s.localQueue.Spec.ClusterQueue)
	if !saysWhy(c) {
		return waiting(queueing.ReasonWaitingForGate, queue+": "+notEvaluated(w)), true
	}
	v = waiting(reasonFromMessage(c, ask.PodSets), queue+": "+stabilise(c.Message))
	v.Preempting = strings.Contains(c.Message, preempting)
	if v.Reason == queueing.ReasonExceedsQuota {
		v.State = queueing.Refused
	}
	return v, false
}

// backoffOf says until when Kueue does not consider a Workload that it has evicted, or returns the empty string if it
// does.
func backoffOf(w *kueuev1.Workload) string {
	c, r := conditionOf(w, kueuev1.WorkloadRequeued), w.Status.RequeueState
	if c == nil || c.Status != metav1.ConditionFalse || r == nil || r.RequeueAt == nil {
		return ""
	}
	return fmt.Sprintf("Kueue does not consider Workload %s before %s, because it has evicted it (%s): %s",
		w.Name, r.RequeueAt.UTC().Format(time.RFC3339), c.Reason, stabilise(c.Message))
}

// notEvaluated says that Kueue has said nothing about a Workload. Another cause may be that an equivalent Workload did
// not fit a moment ago (kueue v0.19, SchedulingEquivalenceHashing).
func notEvaluated(w *kueuev1.Workload) string {
	return fmt.Sprintf("Kueue has not evaluated Workload %s yet; it defers that while an equivalent Workload waits. If no other one waits, "+
		"check that Kueue's controller runs", w.Name)
}

// queueTrouble returns the verdict on a queue that cannot admit anything, and whether there is such a problem.
func queueTrouble(ask queueing.Ask, s surroundings) (v queueing.Verdict, found bool) {
	q := s.localQueue
	switch {
	case q == nil:
		return waiting(queueing.ReasonReferenceNotFound, fmt.Sprintf("LocalQueue %q does not exist in namespace %s: create it, or name another one", ask.Queue, ask.Key.Namespace)), true
	case s.clusterQueue == nil:
		return waiting(queueing.ReasonReferenceNotFound, fmt.Sprintf("ClusterQueue %q of LocalQueue %s/%s does not exist", q.Spec.ClusterQueue, q.Namespace, q.Name)), true
	case !s.clusterQueue.DeletionTimestamp.IsZero():
		return waiting(queueing.ReasonQueueHeld, fmt.Sprintf("ClusterQueue %s is being deleted, and admits nothing: create it again when it is gone, or name another LocalQueue", s.clusterQueue.Name)), true
	case stopOf(q.Spec.StopPolicy) != kueuev1.None:
		return waiting(queueing.ReasonQueueHeld, fmt.Sprintf("LocalQueue %s/%s admits nothing: its stopPolicy is %s", q.Namespace, q.Name, *q.Spec.StopPolicy)), true
	case stopOf(s.clusterQueue.Spec.StopPolicy) != kueuev1.None:
		return waiting(queueing.ReasonQueueHeld, fmt.Sprintf("ClusterQueue %s admits nothing: its stopPolicy is %s", s.clusterQueue.Name, *s.clusterQueue.Spec.StopPolicy)), true
	}
	if c := apimeta.FindStatusCondition(s.clusterQueue.Status.Conditions, kueuev1.ClusterQueueActive); c != nil && c.Status == metav1.ConditionFalse &&
		c.Reason != kueuev1.ClusterQueueActiveReasonStopped { // the condition may be left over from a stop that has just ended
		return waiting(queueing.ReasonQueueHeld, fmt.Sprintf("ClusterQueue %s is not active: %s", s.clusterQueue.Name, stabilise(c.Message))), true
	}
	return v, false
}

// evictionOf returns why the attempt represented by a Workload must release its quota, or nil if it may keep it.
func evictionOf(w *kueuev1.Workload) *queueing.Eviction {
	e := &queueing.Eviction{Reason: queueing.ReasonPreempted}
	switch {
	case w == nil:
		e.Message = "its Workload was deleted by a user or another controller, and Kueue has released its quota"
	case !w.DeletionTimestamp.IsZero():
		e.Message = fmt.Sprintf("Workload %s is being deleted by a user or another controller", w.Name)
	case finished(w):
		e.Message = fmt.Sprintf("Workload %s was finished by a user or another controller: %s", w.Name, conditionOf(w, kueuev1.WorkloadFinished).Message)
	case evicted(w):
		c := conditionOf(w, kueuev1.WorkloadEvicted)
		if c.Reason == kueuev1.WorkloadEvictedByClusterQueueStopped || c.Reason == kueuev1.WorkloadEvictedByLocalQueueStopped {
			e.Reason = queueing.ReasonQueueHeld
		}
		e.Message = fmt.Sprintf("Kueue has evicted Workload %s (%s): %s", w.Name, c.Reason, stabilise(c.Message))
	case inactive(w):
		e.Message = fmt.Sprintf("Workload %s was deactivated", w.Name)
		if why := deactivationMessage(w); why != "" {
			e.Message += ": " + stabilise(why)
		}
	case !reserved(w):
		e.Message = fmt.Sprintf("Workload %s has lost its quota", w.Name)
	default:
		return nil
	}
	return e
}
