// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// ofAttempt returns the pods of the attempt that holds the grant: its driver, and the executors that this driver owns.
// Labels alone do not count, because every user who may create pods can write them.
func ofAttempt(app *v1alpha1.SparkApplication, records []*pods.Record) []*pods.Record {
	if app.Status.Driver == nil {
		return nil
	}
	var own []*pods.Record
	owner := app.Status.Driver.UID
	if at := slices.IndexFunc(records, func(r *pods.Record) bool { return isDriver(app, r) }); at >= 0 {
		own, owner = append(own, records[at]), records[at].UID
	}
	for _, r := range records {
		if owner != "" && r.Role == pods.Executor && r.OwnerUID == owner {
			own = append(own, r)
		}
	}
	return own
}

// isDriver reports whether a pod is the driver of the attempt that holds the grant.
func isDriver(app *v1alpha1.SparkApplication, r *pods.Record) bool {
	s := &app.Status
	named := r.Role == pods.Driver && r.Name == s.Driver.PodName && r.OwnerUID == app.UID
	return named && r.Run == s.Grant.Run && r.Attempt == s.Grant.Attempt && (s.Driver.UID == "" || s.Driver.UID == r.UID)
}

// requestsOf returns the total requests of the pods that are bound to a node and have not ended.
func requestsOf(own []*pods.Record) usage.Amounts {
	var sum usage.Amounts
	for _, r := range own {
		if r.Node != "" && !ended(r) {
			sum = sum.Plus(requests(r))
		}
	}
	return sum
}

func ended(r *pods.Record) bool { return r.Phase == corev1.PodSucceeded || r.Phase == corev1.PodFailed }

const gib = 1 << 30

func requests(r *pods.Record) usage.Amounts {
	return usage.Amounts{CPU: float64(r.CPU) / 1000, Memory: float64(r.Memory) / gib, GPU: float64(r.GPU)}
}

// missed returns the amount that the pods of an attempt requested, in seconds, between the time of the status and now,
// while no process was observing. For pods that still exist it uses their own times. Pods that are gone are taken to
// have ended with their driver or, if that still runs, only now: their quota was held until now.
func missed(written *v1alpha1.Usage, own []*pods.Record, now time.Time) usage.Amounts {
	var sum, seen usage.Amounts
	from, goneAt := written.At.Time, now
	for _, r := range own {
		if r.Node == "" {
			continue
		}
		begin, end := within(boundAt(r, from), from, now), within(endedAt(r, now), from, now)
		if r.Role == pods.Driver {
			goneAt = end
		}
		sum = sum.Plus(requests(r).Times(end.Sub(begin).Seconds()))
		// The times of pods are in whole seconds.
		if !boundAt(r, from).After(from) && endedAt(r, now).Add(time.Second).After(from) {
			seen = seen.Plus(requests(r))
		}
	}
	gone := usage.FromStatus(written.Requesting).Minus(seen)
	return sum.Plus(gone.Times(goneAt.Sub(from).Seconds()))
}

// boundAt returns when a pod was bound to its node, or otherwise if that is not known.
func boundAt(r *pods.Record, otherwise time.Time) time.Time {
	if r.BoundAt == 0 {
		return otherwise
	}
	return time.Unix(int64(r.BoundAt), 0)
}

// endedAt returns when a pod ended, as far as is known, or otherwise if it has not ended.
func endedAt(r *pods.Record, otherwise time.Time) time.Time {
	if !ended(r) || r.Ended == nil || r.Ended.At == 0 {
		return otherwise
	}
	return time.Unix(r.Ended.At, 0)
}

func within(t, from, to time.Time) time.Time {
	switch {
	case t.Before(from):
		return from
	case t.After(to):
		return to
	}
	return t
}
