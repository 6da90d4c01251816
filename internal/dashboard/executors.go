// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// lifetimes are the lifetimes of the executors that a page has seen, by uid, including those that are gone.
type lifetimes map[types.UID]span

// see records the existing executors. Those that no longer exist have ended now.
func (l lifetimes) see(rows []*pod, now time.Time) {
	exist := map[types.UID]bool{}
	for _, row := range rows {
		if row.role != v1alpha1.SparkRoleExecutor || row.started.IsZero() {
			continue
		}
		exist[row.uid] = true
		l[row.uid] = span{row.started, row.finished}
	}
	for uid, life := range l {
		if !exist[uid] && life.until.IsZero() {
			l[uid] = span{life.from, now}
		}
	}
}

// chart draws the number of running executors over time. If until is zero, the chart ends with the last change.
func (l lifetimes) chart(until time.Time) chart {
	var changes []point
	for _, life := range l {
		changes = append(changes, point{life.from, 1})
		if !life.until.IsZero() {
			changes = append(changes, point{life.until, -1})
		}
	}
	if len(changes) == 0 {
		return chart{}
	}
	slices.SortFunc(changes, func(a, b point) int { return a.at.Compare(b.at) })
	over := span{changes[0].at, until}
	if last := changes[len(changes)-1].at; until.Before(last) {
		over.until = last
	}
	running := 0.0
	var points []point
	for _, c := range changes {
		running += c.amount
		if n := len(points); n > 0 && points[n-1].at.Equal(c.at) {
			points[n-1].amount = running
			continue
		}
		points = append(points, point{c.at, running})
	}
	return drawn("Executors", points, over, 0)
}

// executors draws the number of running executors of the current attempt over time.
func (p *applicationPage) executors(v *visit, app *v1alpha1.SparkApplication, rows []*pod) {
	if key := [2]int64{app.Status.Run, app.Status.Attempt}; v.lifetimes == nil || v.lifetimesOf != key {
		v.lifetimes, v.lifetimesOf = lifetimes{}, key
	}
	var current []*pod
	for _, row := range rows {
		if row.run == app.Status.Run && row.attempt == app.Status.Attempt {
			current = append(current, row)
		}
	}
	v.lifetimes.see(current, p.Now)
	until := p.Now
	stage, _ := status.StageOf(app.Status.Conditions)
	if stage.Ended() {
		until = time.Time{}
	}
	p.Executors = v.lifetimes.chart(until)
}
