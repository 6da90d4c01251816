// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
)

// Observer collects what every decision needs, from caches and from what is remembered of the application. It makes no
// calls to the API server.
type Observer struct {
	Pods  *pods.Store
	Gates reservation.Gates
	// UIAddress returns the address of the web interface of the current attempt; empty if that in the plan applies.
	UIAddress func(*v1alpha1.SparkApplication) string
	Clock     clock.Clock
	// The times are those of lifecycle.Observation.
	ReferenceTimeout, MaxTermination, ExecutorInterval time.Duration
}

// Observe observes an application.
func (ob *Observer) Observe(app *v1alpha1.SparkApplication, record *memory.Record) lifecycle.Observation {
	if app.Status.Grant == nil {
		record.Plans.AttemptEnded()
	}
	o := lifecycle.Observation{
		Now:              ob.Clock.Now(),
		App:              app,
		SameTemplate:     sameTemplate(app, record),
		Pods:             ob.podsOf(app),
		LastWrite:        record.Writes.LastStatus(),
		ReferenceTimeout: ob.ReferenceTimeout,
		MaxTermination:   ob.MaxTermination,
		ExecutorInterval: ob.ExecutorInterval,
		Eviction:         ob.eviction(app),
		ExecutorFailures: ob.Pods.Failures(client.ObjectKeyFromObject(app), string(app.UID), app.Status.Run, app.Status.Attempt),
		UIAddress:        ob.UIAddress(app),
		Ungating:         record.Writes.Ungating(ob.Clock.Now()),
	}
	current := lifecycle.CurrentAttempt(app)
	o.Leftovers = record.Kept.Leftovers(app, o.Pods)
	o.Activity = record.Sightings.Activity(current)
	o.CreatedDriver = record.Writes.CreatedDriver(current)
	o.EndedDriver = ob.endedDriver(app, o.Pods, &record.Sightings)
	if o.EndedDriver != nil && o.EndedDriver.Ended != nil {
		o.DriverEndedSince = record.Sightings.EndSince(current, o.Now)
	}
	ready := readyExecutors(app, o.Pods)
	o.ReadyPeak = record.Sightings.ReadyPeak(current, ready, o.Now)
	shown := app.Status.Executors
	hadSome := o.ReadyPeak.Count > 0 || shown != nil && shown.Peak > 0
	o.ExecutorsGoneSince = record.Sightings.GoneSince(hadSome && !slices.ContainsFunc(o.Pods, isExecutor), o.Now)
	o.ReadyDroppedSince = record.Sightings.FewerSince(shown != nil && ready < shown.Ready, o.Now)
	return o
}

// endedDriver returns the driver of the attempt that holds a grant as this process saw it after its end, also if its pod
// was deleted since; nil if it has not seen that.
func (ob *Observer) endedDriver(app *v1alpha1.SparkApplication, records []*pods.Record, sightings *memory.Sightings) *pods.Record {
	s := &app.Status
	if gone := ob.Pods.TakeGone(client.ObjectKeyFromObject(app)); gone != nil && gone.Disrupted() {
		records = append(slices.Clone(records), gone.AsEnded())
	}
	if s.Grant == nil || s.Driver == nil {
		return sightings.EndedDriver(lifecycle.AttemptID{}, nil) // nothing is remembered of what has ended
	}
	var seen *pods.Record
	for _, record := range records {
		if record.Name != s.Driver.PodName || record.Role != pods.Driver || record.OwnerUID != app.UID || record.Run != s.Run || record.Attempt != s.Attempt {
			continue
		}
		if _, ended := pods.DriverEnded(record); ended {
			seen = record
		}
	}
	return sightings.EndedDriver(lifecycle.CurrentAttempt(app), seen)
}

// sameTemplate reports whether the run template in the spec is that of the current run.
func sameTemplate(app *v1alpha1.SparkApplication, record *memory.Record) bool {
	if app.Stub != nil {
		return app.Stub.SameTemplate
	}
	return record.Plans.SameTemplate(app)
}

func isExecutor(r *pods.Record) bool { return r.Role == pods.Executor && r.Active() }

// readyExecutors counts the ready executors of the current attempt.
func readyExecutors(app *v1alpha1.SparkApplication, records []*pods.Record) (ready int32) {
	for _, r := range records {
		if r.Run == app.Status.Run && r.Attempt == app.Status.Attempt && r.CountsAsReady() {
			ready++
		}
	}
	return ready
}

// eviction returns why the gate wants its grant back, or nil if it does not or no grant is held.
func (ob *Observer) eviction(app *v1alpha1.SparkApplication) *queueing.Eviction {
	grant := app.Status.Grant
	if grant == nil {
		return nil
	}
	return ob.Gates.Eviction(podsets.KeyOf(app), grantRef(grant))
}

// podsOf returns the pods that carry the name and the uid of the application.
func (ob *Observer) podsOf(app *v1alpha1.SparkApplication) []*pods.Record {
	var own []*pods.Record
	for _, record := range ob.Pods.Of(client.ObjectKeyFromObject(app)) {
		if record.AppUID == string(app.UID) {
			own = append(own, record)
		}
	}
	return own
}

// UnreachableNodes returns, for the nodes of active pods that are being deleted, whether they are unreachable, which it
// reads from the API server. A node that no longer exists counts as reachable, because nothing runs on it.
func UnreachableNodes(ctx context.Context, live client.Reader, of []*pods.Record) (map[string]bool, error) {
	lost := map[string]bool{}
	for _, record := range of {
		if _, known := lost[record.Node]; known || record.Node == "" || !record.Active() || !record.Deleting {
			continue
		}
		node := &corev1.Node{}
		err := live.Get(ctx, types.NamespacedName{Name: record.Node}, node)
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read node of pod %s: %w", record.Name, err)
		}
		lost[record.Node] = err == nil && !pods.NodeReachable(node)
	}
	return lost, nil
}
