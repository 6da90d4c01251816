// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/expectations"
)

// Expectations records the writes of this process, because the watch lags behind them: a pass on an object older than
// the last own write would repeat what was already done. It is safe for concurrent use.
type Expectations struct {
	perApp[expected]
	// ended is the version of the list of unfinished applications that was made at the start; empty before that.
	ended expectations.Version
}

// expected is what this process has written for one application.
type expected struct {
	version expectations.Version // of the last own write, or of the list at the start
	written time.Time            // time of the last own write of the status
	// createdFor is the attempt whose driver this process created last, at createdAt.
	createdFor attempt
	createdAt  time.Time
	// driver is the pod that this process created as the driver of attempt driverOf; empty if the pod requests more
	// than was granted.
	driver   types.UID
	driverOf attempt
	// unanswered is until when a create request without an answer may still take effect.
	unanswered time.Time
	// ungating holds the pods whose scheduling gates are being removed.
	ungating map[types.UID]pendingUngate
}

// pendingUngate is an unanswered patch that removes a scheduling gate. It may take effect until this time.
type pendingUngate struct {
	flavor string
	until  time.Time
}

type attempt struct{ run, attempt int64 }

// NewExpectations returns an empty record.
func NewExpectations() *Expectations { return &Expectations{perApp: newPerApp[expected]()} }

// IsStale reports whether this version of an application is older than one that this process knows to exist.
func (m *Expectations) IsStale(app *v1alpha1.SparkApplication) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.apps[client.ObjectKeyFromObject(app)]
	if r == nil || r.uid != app.UID {
		// It was not in the list at the start, so in that version it had ended or did not exist.
		ended := app.Status.Times.Finished != nil && app.Status.Grant == nil || len(app.Status.Invalid) > 0
		return !ended && !m.ended.SatisfiedBy(app.ResourceVersion)
	}
	return !r.known.version.SatisfiedBy(app.ResourceVersion)
}

// OthersEnded records that, as of this resource version, every application that was not passed to Observed had ended
// and held nothing, or did not exist.
func (m *Expectations) OthersEnded(version string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = expectations.Version(version)
}

// Observed records that the object exists in this version.
func (m *Expectations) Observed(obj client.Object) {
	m.update(obj, func(e *expected) { e.version = e.version.Newest(obj.GetResourceVersion()) })
}

// recordWrite records a write of the status at a time; obj has the resulting resource version.
func (m *Expectations) recordWrite(obj client.Object, at time.Time) {
	m.update(obj, func(e *expected) {
		e.version = e.version.Newest(obj.GetResourceVersion())
		e.written = at
	})
}

// lastWrite returns when this process last wrote the status, or zero if it never did.
func (m *Expectations) lastWrite(obj client.Object) time.Time { return m.get(obj).written }

// recordCreation records that all objects of an attempt were created, including the driver.
func (m *Expectations) recordCreation(obj client.Object, a attempt, at time.Time) {
	m.update(obj, func(e *expected) { e.createdFor, e.createdAt, e.unanswered = a, at, time.Time{} })
}

// recordDriver records the driver pod of an attempt that was created within its grant.
func (m *Expectations) recordDriver(obj client.Object, a attempt, uid types.UID) {
	m.update(obj, func(e *expected) { e.driver, e.driverOf = uid, a })
}

// createdDriver returns the uid of the driver pod that this process created for an attempt within its grant, or the
// empty string.
func (m *Expectations) createdDriver(obj client.Object, a attempt) types.UID {
	if e := m.get(obj); e.driverOf == a {
		return e.driver
	}
	return ""
}

// createdSince returns when this process created the driver of an attempt, or zero if it did not.
func (m *Expectations) createdSince(obj client.Object, a attempt) time.Time {
	if e := m.get(obj); e.createdFor == a {
		return e.createdAt
	}
	return time.Time{}
}

// recordUnanswered records that a create request got no answer and may take effect until this time.
func (m *Expectations) recordUnanswered(obj client.Object, until time.Time) {
	m.update(obj, func(e *expected) { e.unanswered = until })
}

// unansweredUntil returns until when an unanswered create request may take effect, or zero if there is none.
func (m *Expectations) unansweredUntil(obj client.Object) time.Time { return m.get(obj).unanswered }

// markUngating records that the scheduling gate of a pod is being removed so that the pod uses a flavor. The pod counts
// as admitted until the outcome is known.
func (m *Expectations) markUngating(app client.Object, pod types.UID, flavor string, until time.Time) {
	m.update(app, func(e *expected) {
		if e.ungating == nil {
			e.ungating = map[types.UID]pendingUngate{}
		}
		e.ungating[pod] = pendingUngate{flavor: flavor, until: until}
	})
}

// ungateAnswered drops that record, because the store of pods knows the outcome now.
func (m *Expectations) ungateAnswered(app client.Object, pod types.UID) {
	m.update(app, func(e *expected) { delete(e.ungating, pod) })
}

// ungatesInFlight returns the flavors of the pods whose scheduling gates may have been removed by requests that are not
// answered, by pod uid; nil if there are none. It drops the records that have expired.
func (m *Expectations) ungatesInFlight(app client.Object, now time.Time) map[types.UID]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ungating := m.peek(app).ungating
	maps.DeleteFunc(ungating, func(_ types.UID, p pendingUngate) bool { return !now.Before(p.until) })
	if len(ungating) == 0 {
		return nil
	}
	out := make(map[types.UID]string, len(ungating))
	for pod, p := range ungating {
		out[pod] = p.flavor
	}
	return out
}
