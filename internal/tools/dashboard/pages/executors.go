// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// lifetimes are the lifetimes of the executors that a page has seen, by uid, including those that are gone.
type lifetimes map[types.UID]charts.Span

// see records the existing executors. Those that no longer exist have ended now.
func (l lifetimes) see(rows []*viewer.Pod, now time.Time) {
	exist := map[types.UID]bool{}
	for _, row := range rows {
		if row.Role != v1alpha1.SparkRoleExecutor || row.Started.IsZero() {
			continue
		}
		exist[row.UID] = true
		l[row.UID] = charts.Span{From: row.Started, Until: row.Finished}
	}
	for uid, life := range l {
		if !exist[uid] && life.Until.IsZero() {
			l[uid] = charts.Span{From: life.From, Until: now}
		}
	}
}

// chart draws the number of running executors over time. If until is zero, the chart ends with the last change.
func (l lifetimes) chart(until time.Time) charts.Chart {
	var changes []charts.Point
	for _, life := range l {
		changes = append(changes, charts.Point{At: life.From, Amount: 1})
		if !life.Until.IsZero() {
			changes = append(changes, charts.Point{At: life.Until, Amount: -1})
		}
	}
	if len(changes) == 0 {
		return charts.Chart{}
	}
	slices.SortFunc(changes, func(a, b charts.Point) int { return a.At.Compare(b.At) })
	over := charts.Span{From: changes[0].At, Until: until}
	if last := changes[len(changes)-1].At; until.Before(last) {
		over.Until = last
	}
	running := 0.0
	var points []charts.Point
	for _, c := range changes {
		running += c.Amount
		if n := len(points); n > 0 && points[n-1].At.Equal(c.At) {
			points[n-1].Amount = running
			continue
		}
		points = append(points, charts.Point{At: c.At, Amount: running})
	}
	return charts.Draw("Executors", points, over, 0)
}

// executors draws the number of running executors of the current attempt over time.
func (p *applicationPage) executors(v *Visit, app *v1alpha1.SparkApplication, rows []*viewer.Pod) {
	if key := [2]int64{app.Status.Run, app.Status.Attempt}; v.lifetimes == nil || v.lifetimesOf != key {
		v.lifetimes, v.lifetimesOf = lifetimes{}, key
	}
	var current []*viewer.Pod
	for _, row := range rows {
		if row.Run == app.Status.Run && row.Attempt == app.Status.Attempt {
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
