// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"time"

	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// latchReady notes that the driver and all executors that the attempt began with are ready together, and says whether it has just done so.
// What is ready once stays so for the attempt: executors come and go.
func (d *decider) latchReady() bool {
	if d.s.Times.ExecutorsReady != nil {
		return false
	}
	if now := d.executorStatus(); now.Ready < d.enough(now) {
		return false
	}
	d.s.Times.ExecutorsReady = d.nowPtr()
	return true
}

// executorStartDeadline is when an attempt is given up whose executors are not ready; zero if it is not, or they have been.
func (d *decider) executorStartDeadline() time.Time {
	started := d.s.Times.DriverStarted
	if started == nil || d.s.Times.ExecutorsReady != nil {
		return time.Time{}
	}
	limit := d.timeouts().ExecutorStart
	switch {
	case limit != nil:
		return started.Add(limit.Duration)
	case d.queues():
		return started.Add(DefaultExecutorStart)
	}
	return time.Time{}
}

// queues says that the attempt holds room in a queue, to which it can go back.
func (d *decider) queues() bool { return d.s.Grant != nil && catalog.Of(d.s.Grant.Gate).Queues }

// executorStartOverdue says that executors should be ready by now and are still waited for. With at least one ready and none on its way
// Spark has all that it wants now.
func (d *decider) executorStartOverdue() bool {
	at := d.executorStartDeadline()
	if at.IsZero() || d.o.Now.Before(at) {
		return false
	}
	now := d.executorStatus()
	return now.Ready < d.enough(now) && (now.Ready == 0 || now.Pending > 0)
}

func (d *decider) executorStartMessage() string {
	now := d.executorStatus()
	limit := orDefault(d.timeouts().ExecutorStart, DefaultExecutorStart)
	return fmt.Sprintf("%d of %d executors were ready within timeouts.executorStart (%s)%s", now.Ready, now.Wanted, limit, d.whyPending())
}

// whyPending tells what keeps executors from running, by the first of them that has something to say.
func (d *decider) whyPending() string {
	for _, r := range d.o.Pods {
		if r.Role != pods.Executor || !d.current(r) || !r.Active() || r.Running {
			continue
		}
		switch problem := pods.WhyNotStarted(r); {
		case r.Gate != nil:
			return fmt.Sprintf(": pod %s waits behind its scheduling gate: %s", r.Name, d.whyGated())
		case problem.Reason != "":
			return fmt.Sprintf(": pod %s: %s", r.Name, problem.Message)
		case !r.Scheduled:
			return fmt.Sprintf(": pod %s has no node; the queue has quota, but the cluster lacks capacity", r.Name)
		}
	}
	return ""
}
