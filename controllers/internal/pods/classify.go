// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Outcome is how an attempt's driver ended.
type Outcome struct {
	Succeeded bool
	// Reason is one word: Succeeded, Error, OOMKilled, Evicted, NodeLost, …
	Reason string
	// Cause is the class of a failure; empty for success.
	Cause    v1alpha1.FailureCause
	ExitCode *int32
	Message  string
}

// DriverEnded says how the Spark container of the driver ended; ok is false while it has not. The end of the attempt is the end of
// that container: sidecars may go on.
func DriverEnded(r *Record) (outcome Outcome, ok bool) {
	switch {
	case r.Phase == corev1.PodFailed && (r.Reason == "Evicted" || r.DisruptedBy != ""):
		return evicted(r), true
	case r.Ended != nil:
		return containerEnded(r), true
	case r.Phase == corev1.PodSucceeded:
		return Outcome{Succeeded: true, Reason: "Succeeded", Message: "driver ended"}, true
	case r.Phase == corev1.PodFailed:
		return Outcome{Reason: orElse(r.Reason, "Error"), Cause: v1alpha1.CauseInfrastructure,
			Message: sentence("driver pod failed", r.Reason, r.Message)}, true
	}
	return Outcome{}, false
}

func evicted(r *Record) Outcome {
	reason := orElse(r.Reason, r.DisruptedBy)
	o := Outcome{Reason: reason, Cause: v1alpha1.CauseInfrastructure, Message: sentence("driver pod was evicted", reason, r.Message)}
	if r.Ended != nil {
		o.ExitCode = &r.Ended.ExitCode
	}
	return o
}

func containerEnded(r *Record) Outcome {
	e := r.Ended
	if e.ExitCode == 0 {
		return Outcome{Succeeded: true, Reason: "Succeeded", ExitCode: &e.ExitCode, Message: "driver ended with exit code 0"}
	}
	o := Outcome{Reason: orElse(e.Reason, "Error"), Cause: v1alpha1.CauseApplication, ExitCode: &e.ExitCode}
	switch e.Reason {
	case "OOMKilled":
		o.Message = fmt.Sprintf("driver was killed with exit code %d: it used more memory than its limit; raise driver.memory or driver.memoryOverhead", e.ExitCode)
	case "ContainerCannotRun", "StartError":
		o.Cause = v1alpha1.CauseConfiguration
		o.Message = sentence(fmt.Sprintf("driver's container could not start (exit code %d)", e.ExitCode), e.Reason, e.Message)
	default:
		o.Message = sentence(fmt.Sprintf("driver ended with exit code %d", e.ExitCode), e.Reason, e.Message)
	}
	return o
}

// StartProblem is why the driver does not start, in a stable wording: the kubelet alternates between ErrImagePull and
// ImagePullBackOff, and a status that followed it would be written again and again. Empty while nothing is wrong.
type StartProblem struct {
	// Reason of the kubelet or the scheduler.
	Reason string
	// Message for people.
	Message string
	// Permanent problems do not go away by waiting.
	Permanent bool
}

// WhyNotStarted explains a driver that does not run yet.
func WhyNotStarted(r *Record) StartProblem {
	w := r.Waiting
	switch w.Reason {
	case "":
		return StartProblem{}
	case "InvalidImageName":
		return StartProblem{w.Reason, fmt.Sprintf("image name %q is not valid (InvalidImageName); correct spec.image", w.Image), true}
	case "ErrImageNeverPull":
		return StartProblem{w.Reason, fmt.Sprintf("image %q is not on the node and imagePullPolicy is Never (ErrImageNeverPull)", w.Image), false}
	case "ErrImagePull", "ImagePullBackOff":
		return StartProblem{"ImagePullBackOff", fmt.Sprintf("image %q cannot be pulled (ImagePullBackOff)", w.Image), false}
	case corev1.PodReasonUnschedulable:
		return StartProblem{w.Reason, "no node takes the driver pod (Unschedulable)", false}
	}
	return StartProblem{w.Reason, sentence("driver's container cannot start", w.Reason, w.Message), false}
}

// Counts are the executors of one attempt by state.
type Counts struct {
	// Active ones may still use a node. Ready, Pending and Gated divide those that are not being deleted.
	Active, Ready, Pending, Gated int32
	// Failed ones have ended with an error.
	Failed int32
}

// Count counts the executors among the records.
func Count(records []*Record) Counts {
	var c Counts
	for _, r := range records {
		if r.Role != Executor {
			continue
		}
		switch {
		case r.Phase == corev1.PodFailed:
			c.Failed++
		case !r.Active():
		case r.Deleting:
			c.Active++
		case r.Gated:
			c.Active, c.Gated = c.Active+1, c.Gated+1
		case r.Running && r.Ready:
			c.Active, c.Ready = c.Active+1, c.Ready+1
		default:
			c.Active, c.Pending = c.Active+1, c.Pending+1
		}
	}
	return c
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

// sentence joins what happened, the reason in parentheses and the first line of the message.
func sentence(what, reason, message string) string {
	if reason != "" {
		what += " (" + reason + ")"
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(message), "\n"); line != "" {
		what += ": " + line
	}
	return what
}
