// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Outcome is how the Spark container of a pod ended.
type Outcome struct {
	Succeeded bool
	// Reason is one word: Succeeded, Error, OOMKilled, Evicted, NodeLost, … If Kubernetes has a word for it, it is that
	// word.
	Reason string
	// Cause is the class of a failure; empty for success.
	Cause    v1alpha1.FailureCause
	ExitCode *int32
	// Message is for users: what happened, and what to do about it if that is known. It has at most some hundred bytes
	// and no secrets.
	Message string
}

// Reasons of failures for which Kubernetes has no reason, or none that says what happened.
const (
	// ReasonError: the container ended with an exit code other than 0.
	ReasonError = "Error"
	// ReasonDeleted: a client deleted the pod, and its container was stopped.
	ReasonDeleted = "Deleted"
	// ReasonNodeLost: the node does not answer or no longer exists.
	ReasonNodeLost = "NodeLost"
	// ReasonNodeShutdown: the node was shut down gracefully, as spot nodes are when they are reclaimed.
	ReasonNodeShutdown = "NodeShutdown"
	// ReasonActiveDeadline: the pod ran longer than activeDeadlineSeconds of its template.
	ReasonActiveDeadline = "ActiveDeadlineExceeded"
	// ReasonInitContainer: an init container failed, so Spark's container was never started.
	ReasonInitContainer = "InitContainerFailed"
	// ReasonDriverLost: the driver pod is gone, for an unknown reason.
	ReasonDriverLost = "DriverLost"
	// ReasonClusterLost: the SparkCluster on which the driver ran is gone, or was started again.
	ReasonClusterLost = "ClusterLost"
)

// DriverEnded returns how the Spark container of the driver ended; ok is false if it has not. The attempt ends with
// that container, even if sidecars continue to run.
//
// A driver that was asked to end and answers with exit code 0 has not succeeded: only an end before the request is a
// success, and the same second is not before.
func DriverEnded(r *Record) (outcome Outcome, ok bool) {
	o, ended := endOf(r, driverTerms)
	if !ended || !o.Succeeded || !r.endedOnRequest() {
		return o, ended
	}
	asked, fromOutside := disrupted(r, driverTerms)
	if !fromOutside {
		asked = Outcome{Reason: ReasonDeleted, Cause: v1alpha1.CauseInfrastructure,
			Message: "driver pod was deleted by a user or another controller before its container had ended (Deleted)"}
	}
	asked.ExitCode = o.ExitCode
	return asked, true
}

// endedOnRequest reports whether the Spark container ended after the pod was asked to end, by its deletion or by a
// disruption.
func (r *Record) endedOnRequest() bool {
	if r.Ended == nil || r.Ended.At == 0 {
		return false
	}
	return r.Deleting && r.Ended.At >= int64(r.EndsAt)-int64(r.EndGrace) || r.DisruptedAt > 0 && r.Ended.At >= int64(r.DisruptedAt)
}

// endOf returns how the Spark container of a pod ended. If its exit code is 0 it succeeded, whatever happened to the
// pod.
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

// outOfMemory reports whether the Spark container was killed because it exceeded its own memory limit, rather than
// evicted because its node was short of memory.
func (r *Record) outOfMemory() bool {
	return r.Ended != nil && r.Ended.Reason == "OOMKilled" && r.Reason != podEvicted
}

// Counts are the numbers of executors of one attempt by state. Failed ones are not among them (see Failure), because
// their pods are soon deleted.
type Counts struct {
	// Active is the number of executors that may still use a node. Ready, Pending and SchedulingGated divide those of
	// them that are not being deleted.
	Active, Ready, Pending, SchedulingGated int32
}

// Count counts the executors among the records by state.
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

// CountsAsReady reports whether the pod is an executor that runs and is ready.
func (r *Record) CountsAsReady() bool {
	return r.Role == Executor && r.Active() && !r.Deleting && r.Running && r.Ready
}

// settles is how long an executor has to run before it shows that it does not fail at its start.
const settles = 5 * time.Second

// Starting returns how many ready executors may still fail at their start, and until when one of them may. Executors have
// no probe, so Kubernetes takes one for ready whose JVM lives for a moment.
func Starting(records []*Record, now time.Time) (n int32, until time.Time) {
	for _, r := range records {
		started := time.Unix(int64(r.StartedAt), 0)
		if !r.CountsAsReady() || now.Before(started) || !now.Before(started.Add(settles)) {
			continue // by a clock that is ahead, it may have started long ago
		}
		if n++; until.IsZero() || started.Add(settles).Before(until) {
			until = started.Add(settles)
		}
	}
	return n, until
}

// sentence returns "what (reason): message", without the parts that are empty.
func sentence(what, reason, message string) string {
	if reason != "" {
		what += " (" + reason + ")"
	}
	if message != "" {
		what += ": " + message
	}
	return what
}

// remedy appends what to do to a message, if that is known.
func remedy(what, todo string) string {
	if todo == "" {
		return what
	}
	return strings.TrimSuffix(what, ".") + "; " + todo
}
