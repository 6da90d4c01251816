// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import "github.com/sparkgate/sparkgate/api/v1alpha1"

// maxLogTails is how many of the last attempts keep the end of their log.
const maxLogTails = 3

// logNeeded says that the end of the driver's log should be read now, because the attempt is about to be recorded as failed: afterwards
// the pod may go. A container that never ran has no log, and of one that was lost with its node nobody has it.
func (d *decider) logNeeded() bool {
	driver := d.driver()
	return d.o.LogTail == nil && driver != nil && (driver.Ended != nil || driver.Running && driver.Active())
}

// failsBy says that an attempt which is stopped for this reason counts as failed although its driver runs.
func (d *decider) failsBy(reason v1alpha1.StopReason) bool {
	return reason == v1alpha1.StopDeadline || reason == v1alpha1.StopTotalDeadline || reason == v1alpha1.StopExecutorStart && !d.queues()
}

// keepLogTail puts the end of the driver's log into the history's newest entry, and takes it out of entries that are too old for it.
func (d *decider) keepLogTail() {
	newest := len(d.s.Attempts) - 1
	if d.o.LogTail != nil && d.s.Attempts[newest].Outcome == v1alpha1.OutcomeFailed {
		d.s.Attempts[newest].LogTail = *d.o.LogTail
	}
	for i := 0; i <= newest-maxLogTails; i++ {
		d.s.Attempts[i].LogTail = ""
	}
}
