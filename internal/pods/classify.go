// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Outcome is how a pod's Spark container ended.
type Outcome struct {
	Succeeded bool
	// Reason is one word: Succeeded, Error, OOMKilled, Evicted, NodeLost, … Where Kubernetes has a word, it is that.
	Reason string
	// Cause is the class of a failure; empty for success.
	Cause    v1alpha1.FailureCause
	ExitCode *int32
	// Message for people: what happened, and what to do where that is known. At most some hundred bytes, without
	// secrets.
	Message string
}

// Reasons of failures for which Kubernetes has no word, or none that says what happened.
const (
	// ReasonError: the container ended with an exit code other than 0.
	ReasonError = "Error"
	// ReasonDeleted: a client deleted the pod, and its container was stopped.
	ReasonDeleted = "Deleted"
	// ReasonNodeLost: the node does not answer or no longer exists.
	ReasonNodeLost = "NodeLost"
	// ReasonNodeShutdown: the node was shut down in order, as spot nodes are when they are reclaimed.
	ReasonNodeShutdown = "NodeShutdown"
	// ReasonActiveDeadline: activeDeadlineSeconds of the pod template is over.
	ReasonActiveDeadline = "ActiveDeadlineExceeded"
	// ReasonInitContainer: a container that has to end before Spark's has failed.
	ReasonInitContainer = "InitContainerFailed"
	// ReasonDriverLost: the pod of the driver vanished, and nothing says why.
	ReasonDriverLost = "DriverLost"
)

// DriverEnded returns how the Spark container of the driver ended; ok is false while it has not. The end of the attempt
// is the end of that container: sidecars may continue.
func DriverEnded(r *Record) (outcome Outcome, ok bool) { return endOf(r, driverTerms) }

// endOf returns how the Spark container of a pod ended. An exit code of 0 is a success whatever became of the pod.
func endOf(r *Record, w terms) (outcome Outcome, ok bool) {
	switch {
	case r.Ended != nil && r.Ended.ExitCode == 0:
		return Outcome{Succeeded: true, Reason: "Succeeded", ExitCode: &r.Ended.ExitCode, Message: w.who + " ended with exit code 0"}, true
	case r.Phase == corev1.PodSucceeded:
		return Outcome{Succeeded: true, Reason: "Succeeded", Message: w.who + " ended"}, true
	case r.Ended == nil && r.Phase != corev1.PodFailed:
		return Outcome{}, false
	}
	outcome, fromOutside := disrupted(r, w)
	switch {
	case fromOutside && !r.outOfMemory():
	case r.Ended != nil:
		outcome = containerFailed(r, w)
	default:
		outcome = podFailed(r, w)
	}
	if r.Ended != nil {
		outcome.ExitCode = &r.Ended.ExitCode
	}
	return outcome, true
}

// outOfMemory reports whether the kernel killed the Spark container for its own memory limit, and not the kubelet to
// help its node.
func (r *Record) outOfMemory() bool {
	return r.Ended != nil && r.Ended.Reason == "OOMKilled" && r.Reason != podEvicted
}

// Counts are the executors of one attempt by state. Those that failed are counted elsewhere (Failure), because their
// pods go.
type Counts struct {
	// Active ones may still use a node. Ready, Pending and Gated divide those that are not being deleted.
	Active, Ready, Pending, SchedulingGated int32
}

// Count counts the executors among the records.
func Count(records []*Record) Counts {
	var c Counts
	for _, r := range records {
		if r.Role != Executor {
			continue
		}
		switch {
		case !r.Active():
		case r.Deleting:
			c.Active++
		case r.SchedulingGated, r.SchedulingGate != nil:
			c.Active, c.SchedulingGated = c.Active+1, c.SchedulingGated+1
		case r.CountsAsReady():
			c.Active, c.Ready = c.Active+1, c.Ready+1
		default:
			c.Active, c.Pending = c.Active+1, c.Pending+1
		}
	}
	return c
}

// CountsAsReady reports whether a pod is an executor that works.
func (r *Record) CountsAsReady() bool {
	return r.Role == Executor && r.Active() && !r.Deleting && r.Running && r.Ready
}

// sentence joins what happened, the reason in parentheses and the message.
func sentence(what, reason, message string) string {
	if reason != "" {
		what += " (" + reason + ")"
	}
	if message != "" {
		what += ": " + message
	}
	return what
}

// remedy appends what to do, if that is known.
func remedy(what, todo string) string {
	if todo == "" {
		return what
	}
	return strings.TrimSuffix(what, ".") + "; " + todo
}
