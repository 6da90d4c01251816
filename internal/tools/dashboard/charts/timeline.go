// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
)

const (
	// timelineReach is how far a time line reaches before and after now.
	timelineReach = 24 * time.Hour
	// timelineMarks is the maximum number of future times that are drawn, because a schedule may be due every minute.
	timelineMarks = 48
)

// mark is a time on a time line.
type mark struct {
	// At is its position, between 0 and barWidth; Kind is its color: due, good, bad or next.
	At   float64
	Kind string
}

// Timeline shows the last and the next runs of a schedule. The zero value draws nothing.
type Timeline struct {
	Marks []mark
	// Text describes the time line in words.
	Text string
}

// TimelineOf returns the time line of a schedule around now.
func TimelineOf(s *v1alpha1.ScheduledSparkApplication, now time.Time) Timeline {
	var line Timeline
	put := func(at time.Time, kind string) bool {
		from := at.Sub(now)
		if from < -timelineReach || from > timelineReach {
			return false
		}
		line.Marks = append(line.Marks, mark{BarWidth/2 + from.Seconds()/timelineReach.Seconds()*BarWidth/2, kind})
		return true
	}
	for _, past := range []struct{ at, kind string }{
		{s.Status.LastRunTime, "due"}, {timeOf(s.Status.LastSuccessfulRun), "good"}, {timeOf(s.Status.LastFailedRun), "bad"},
	} {
		if at, err := time.Parse(time.RFC3339, past.at); err == nil {
			put(at, past.kind)
		}
	}
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	coming := 0
	for at := FollowedUntil(s, now); err == nil && Runs(s) && coming < timelineMarks; coming++ {
		if at = times.Next(at); at.IsZero() || !put(at, "next") {
			break
		}
	}
	line.Text = fmt.Sprintf("times due in the next 24 hours: %d", coming)
	if coming == timelineMarks {
		line.Text = fmt.Sprintf("times due in the next 24 hours: %d or more", coming)
	}
	return line
}

func timeOf(r *v1alpha1.ScheduledRun) string {
	if r == nil {
		return ""
	}
	return r.Time
}

// FollowedUntil returns the time until which the operator has handled the schedule, so that nothing before it is due.
func FollowedUntil(s *v1alpha1.ScheduledSparkApplication, now time.Time) time.Time {
	if h := s.Status.Handled; h != nil && h.Until.After(now) {
		return h.Until.Time
	}
	return now
}

// Runs reports whether runs are created at the times of the schedule.
func Runs(s *v1alpha1.ScheduledSparkApplication) bool {
	ready := meta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	return !s.Spec.Suspend && (ready == nil || ready.Reason != v1alpha1.InvalidSpecReason)
}
