// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/usage/meter"
)

// Usage sums what an application holds and requests while it has a grant.
type Usage struct {
	// meter is nil while the application holds nothing and nothing remains to be counted.
	meter *meter.Meter
}

func (u *Usage) begin() *meter.Meter {
	if u.meter == nil {
		u.meter = &meter.Meter{}
	}
	return u.meter
}

// Observe updates the sums with what a pass has seen. It returns usage that was written into the status and not counted
// yet.
func (u *Usage) Observe(app *v1alpha1.SparkApplication, records []*pods.Record, now time.Time) meter.Count {
	if app.Status.Grant == nil && u.meter == nil {
		return meter.Count{}
	}
	return u.begin().Observe(app, records, now)
}

// Begun returns the queue of an attempt that is counted from now on, once per attempt.
func (u *Usage) Begun() (queue string, begun bool) {
	if u.meter == nil {
		return "", false
	}
	return u.meter.Begun()
}

// Stamp puts the sums into a status that is about to be written.
func (u *Usage) Stamp(before, next *v1alpha1.SparkApplicationStatus, now time.Time) {
	if before.Grant != nil || next.Grant != nil {
		u.begin().Stamp(before, next, now)
	}
}

// Written returns the usage in a written status that was not counted yet.
func (u *Usage) Written(s *v1alpha1.SparkApplicationStatus) meter.Count {
	if s.Grant == nil && u.meter == nil {
		return meter.Count{}
	}
	count := u.begin().Written(s)
	if s.Grant == nil {
		u.meter = nil
	}
	return count
}

// Gone returns the usage that remains to be counted for an application that is gone, and forgets it.
func (u *Usage) Gone(now time.Time) meter.Count {
	if u.meter == nil {
		return meter.Count{}
	}
	count := u.meter.Gone(now)
	u.meter = nil
	return count
}
