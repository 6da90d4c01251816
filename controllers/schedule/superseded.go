// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// settleSuperseded finds out whether an earlier write that recorded superseded applications has succeeded, although its
// answer was lost. They would be counted twice otherwise.
func (p *pass) settleSuperseded() {
	if w := p.expected.recording; w.n > 0 && countOf(&p.schedule.Status, v1alpha1.MissedSuperseded) >= w.total {
		p.supersededRecorded()
	}
	p.expected.recording = recording{}
}

// supersededRecorded announces and counts the superseded applications that the status now records.
func (p *pass) supersededRecorded() {
	n := p.expected.recording.n
	p.announceSuperseded(n)
	p.Series.Count(func(func(string) string) {
		for range n {
			missed.WithLabelValues(p.schedule.Namespace, v1alpha1.MissedSuperseded).Inc()
		}
	})
	p.expected.superseded, p.expected.recording = p.expected.superseded[n:], recording{}
}

// announceSuperseded records a single event for the first n applications that were deleted for the next run, because
// their number is up to users.
func (p *pass) announceSuperseded(n int) {
	if n == 0 {
		return
	}
	first := p.expected.superseded[0]
	what := "application " + first.Name
	switch others := n - 1; {
	case others == 1:
		what += " and another one"
	case others > 1:
		what = fmt.Sprintf("%s and %d others", what, others)
	}
	note := fmt.Sprintf("deleted %s, which could not start, for the next run: %s", what, first.Message)
	p.event(warning, v1alpha1.MissedSuperseded, "%s", status.Truncate(note))
}

// countOf returns how many runs were missed for a reason.
func countOf(s *v1alpha1.ScheduledSparkApplicationStatus, reason string) int64 {
	for _, m := range s.Missed {
		if m.Reason == reason {
			return m.Count
		}
	}
	return 0
}
