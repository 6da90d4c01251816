// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

const (
	// eventsTimeout bounds how long listing the events of a pod may take.
	eventsTimeout = 2 * time.Second
	// eventPageSize is the page size for listing the events of a pod, and maxEventPages the number of pages that are read.
	// The kubelet and the scheduler write one event per problem and count repetitions, but users who may create events can
	// make each as large as etcd stores it, 1.5 MiB.
	eventPageSize = 16
	maxEventPages = 6
	// maxEventBytes is the maximum length of an event in a message, in bytes.
	maxEventBytes = 320
	// warningTTL is how long an answer is reused.
	warningTTL = 20 * time.Second
	// failedScheduling is the reason of the scheduler's events about pods without a node.
	failedScheduling = "FailedScheduling"
)

// Event returns the last warning event of the driver pod, truncated and redacted. It is empty if there is none,
// or if it cannot be read now, which must not keep the attempt from ending. Reads are cached for warningTTL and come
// out of the namespace's budget.
func (dr *Driver) Event(ctx context.Context, app *v1alpha1.SparkApplication, records []*pods.Record) string {
	driver := driverOf(app, records)
	if driver == nil {
		return ""
	}
	if known, valid := dr.Record.Warning.Of(driver.UID, dr.Clock.Now()); valid {
		return known
	}
	if err := dr.Reader.Spend(app, 1); err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, eventsTimeout)
	defer cancel()
	message, err := dr.readWarnings(ctx, driver)
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("Cannot read the events of a driver pod", "pod", driver.Name, "error", err.Error())
	}
	dr.Record.Warning.Note(driver.UID, message, dr.Clock.Now().Add(warningTTL))
	return message
}

// readWarnings returns the last warning about a pod, reading page by page. If it returns an error, the result is the
// last of the warnings read so far.
func (dr *Driver) readWarnings(ctx context.Context, driver *pods.Record) (string, error) {
	last, token := warning{}, ""
	for range maxEventPages {
		page := &corev1.EventList{}
		err := dr.Live.List(ctx, page, client.InNamespace(driver.Namespace), client.Limit(eventPageSize), client.Continue(token),
			client.MatchingFields{"involvedObject.uid": string(driver.UID), "type": corev1.EventTypeWarning})
		if err != nil {
			return last.text, err
		}
		last.take(page.Items, driver.Scheduled)
		if token = page.Continue; token == "" {
			break
		}
	}
	return last.text, nil
}

// warning is the most recent warning event so far, truncated and redacted.
type warning struct {
	text string
	at   time.Time
}

// take replaces the warning by the most recent of these events, if that is later. Failures to schedule do not count
// once the pod has a node.
func (w *warning) take(events []corev1.Event, onNode bool) {
	for i := range events {
		event, at := &events[i], lastSeen(&events[i])
		if event.Reason == failedScheduling && onNode {
			continue
		}
		if w.text == "" || at.After(w.at) {
			w.text, w.at = redact.Line(event.Reason+": "+event.Message, maxEventBytes), at
		}
	}
}

// lastSeen returns when an event last occurred.
func lastSeen(event *corev1.Event) time.Time {
	at := event.LastTimestamp.Time
	for _, other := range []time.Time{event.CreationTimestamp.Time, event.EventTime.Time} {
		if other.After(at) {
			at = other
		}
	}
	if event.Series != nil && event.Series.LastObservedTime.After(at) {
		at = event.Series.LastObservedTime.Time
	}
	return at
}
