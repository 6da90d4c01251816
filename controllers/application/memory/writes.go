// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// Writes records what this process has written for an application, because the watch lags behind: a pass on an object
// older than the last own write would repeat what was already done.
type Writes struct {
	version expectations.Version // of the last own write, or of the list at the start
	written time.Time            // time of the last own write of the status
	// createdFor is the attempt whose driver this process created last, at createdAt.
	createdFor lifecycle.AttemptID
	createdAt  time.Time
	// driver is the pod that this process created as the driver of attempt driverOf; empty if the pod requests more
	// than was granted.
	driver   types.UID
	driverOf lifecycle.AttemptID
	// unanswered is until when a create request without an answer may still take effect.
	unanswered time.Time
	// ungating holds the unanswered patches that remove a scheduling gate, by pod.
	ungating map[types.UID]pendingUngate
}

// pendingUngate is a patch that may take effect until this time.
type pendingUngate struct {
	flavor string
	until  time.Time
}

// Observed records that the application exists in this version.
func (w *Writes) Observed(version string) { w.version = w.version.Newest(version) }

// StatusWritten records a write of the status at a time, and the version that it has produced.
func (w *Writes) StatusWritten(version string, at time.Time) {
	w.Observed(version)
	w.written = at
}

// LastStatus returns when this process last wrote the status, or zero if it never did.
func (w *Writes) LastStatus() time.Time { return w.written }

// Created records that all objects of an attempt were created, including the driver.
func (w *Writes) Created(attempt lifecycle.AttemptID, at time.Time) {
	w.createdFor, w.createdAt, w.unanswered = attempt, at, time.Time{}
}

// CreatedSince returns when this process created the driver of an attempt, or zero if it did not.
func (w *Writes) CreatedSince(attempt lifecycle.AttemptID) time.Time {
	if w.createdFor != attempt {
		return time.Time{}
	}
	return w.createdAt
}

// DriverCreated records the driver pod of an attempt that was created within its grant.
func (w *Writes) DriverCreated(attempt lifecycle.AttemptID, uid types.UID) {
	w.driver, w.driverOf = uid, attempt
}

// CreatedDriver returns the uid of the driver pod that this process created for an attempt within its grant, or the
// empty string.
func (w *Writes) CreatedDriver(attempt lifecycle.AttemptID) types.UID {
	if w.driverOf != attempt {
		return ""
	}
	return w.driver
}

// Unanswered records that a create request got no answer and may take effect until this time.
func (w *Writes) Unanswered(until time.Time) { w.unanswered = until }

// UnansweredUntil returns until when an unanswered create request may take effect, or zero if there is none.
func (w *Writes) UnansweredUntil() time.Time { return w.unanswered }

// Ungated drops the record of a pod whose scheduling gate is removed, because the store of pods knows the outcome now.
func (w *Writes) Ungated(pod types.UID) { delete(w.ungating, pod) }

// UngateUnanswered records that a patch, which removes the scheduling gate of a pod so that the pod uses a flavor, got
// no answer and may take effect until this time. The pod counts as admitted until the outcome is known.
func (w *Writes) UngateUnanswered(pod types.UID, flavor string, until time.Time) {
	if w.ungating == nil {
		w.ungating = map[types.UID]pendingUngate{}
	}
	w.ungating[pod] = pendingUngate{flavor: flavor, until: until}
}

// Ungating returns the flavors of the pods whose scheduling gates may have been removed by requests that are not
// answered, by pod uid; nil if there are none. It drops the records that have expired.
func (w *Writes) Ungating(now time.Time) map[types.UID]string {
	var flavors map[types.UID]string
	for pod, p := range w.ungating {
		if !now.Before(p.until) {
			delete(w.ungating, pod)
			continue
		}
		if flavors == nil {
			flavors = map[types.UID]string{}
		}
		flavors[pod] = p.flavor
	}
	return flavors
}
