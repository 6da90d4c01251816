// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Defaults of spec.timeouts and spec.retention.
const (
	DefaultDriverStart = 10 * time.Minute
	DefaultTermination = 5 * time.Minute
	DefaultRetention   = time.Hour
)

// sidecarGrace is how long other containers may run on after the Spark container has ended.
const sidecarGrace = 30 * time.Second

func (d *decider) driverStart() time.Duration {
	if t := d.o.App.Spec.Timeouts; t != nil {
		return orDefault(t.DriverStart, DefaultDriverStart)
	}
	return DefaultDriverStart
}

func (d *decider) termination() time.Duration {
	if t := d.o.App.Spec.Timeouts; t != nil {
		return orDefault(t.Termination, DefaultTermination)
	}
	return DefaultTermination
}

// driverStartDeadline is when a driver that does not run yet is given up.
func (d *decider) driverStartDeadline() time.Time {
	if d.s.Times.Admitted == nil {
		return d.o.Now.Add(d.driverStart())
	}
	return d.s.Times.Admitted.Add(d.driverStart())
}

func (d *decider) requeueDriverStart() { d.requeue(d.driverStartDeadline()) }

// terminationDeadline is when pods that were asked to end should have.
func (d *decider) terminationDeadline() time.Time {
	switch {
	case !d.o.App.DeletionTimestamp.IsZero():
		return d.o.App.DeletionTimestamp.Add(d.termination())
	case d.s.Times.Stopping != nil:
		return d.s.Times.Stopping.Add(d.termination())
	}
	return d.o.Now.Add(d.termination())
}

func orDefault(d *v1alpha1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
