// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const (
	// overviewShown is how many rows each list of the overview has, and treesShown how many trees have charts.
	overviewShown = 5
	treesShown    = 10
	// lately is how long ago something may have failed to be in the overview.
	lately = 24 * time.Hour
)

// overviewPage answers at a glance who waits and why, and what has failed.
type overviewPage struct {
	Base string
	// Only is the namespace that is shown, for a viewer who may not list others; empty if all are.
	Only                    string
	Waiting, Running, Total int
	// FailedLately is the number of applications that failed within the last day, or that cannot start.
	FailedLately int
	Trees        []treeRow
	// MoreTrees is how many trees are not shown.
	MoreTrees              int
	Waits, Failed, Started []overviewRow
	Next                   []scheduleRow
	First                  *firstInLine
	Now                    time.Time
}

// treeRow is a tree of queues with what was held in it during the last hours.
type treeRow struct {
	Name              string
	Waiting, Admitted int32
	// Message is why it admits nothing; empty if it does.
	Message string
	History []charts.Chart
}

// overviewRow is an application, and since when it has been what the list is about.
type overviewRow struct {
	status.Summary
	At time.Time
}

// overviewRows is a list of applications for the template. At is the head of the column with the time.
type overviewRows struct {
	Base, At string
	Now      time.Time
	Rows     []overviewRow
}

// buildOverview is the builder for the first page.
func buildOverview(v *Visit) (view, error) {
	out := view{title: "Overview", section: sectionOverview, template: "overview"}
	p := overviewPage{Base: v.site.Base, Only: say(v.request.URL.Query().Get("namespace")), Now: v.Clock.Now()}
	t, err := watchSome[viewer.Application](v, viewer.ListOf(client.Applications, client.Selection{Namespace: p.Only}))
	if err != nil {
		return v.choose(out, sectionOverview.Path, err)
	}
	all := t.All()
	p.take(all)
	switch queues, err := queuesOf(v); {
	case err == nil:
		p.trees(queues, all)
	case !client.IsForbidden(err):
		return out, err
	}
	switch schedules, err := watch[viewer.Schedule](v, viewer.ListOf(client.Schedules, client.Selection{Namespace: p.Only})); {
	case err == nil:
		p.next(schedules.All())
	case !client.IsForbidden(err):
		return out, err
	}
	if len(p.Waits) > 0 {
		p.First = v.unblocks(p.Waits[0].Namespace, p.Waits[0].Name)
	}
	out.data = p
	return out, nil
}

// take fills in the lists of applications: who has waited longest, what failed last, and what started last.
func (p *overviewPage) take(all []*viewer.Application) {
	p.Total = len(all)
	for _, a := range all {
		s := a.Summary(p.Now)
		row := overviewRow{Summary: s}
		switch stage := status.Stage(s.Stage); {
		case stage.Waiting():
			p.Waiting++
			row.At = queuedAt(a)
			p.Waits = append(p.Waits, row)
		case stage.Active():
			p.Running++
			if started := a.App.Status.Times.DriverStarted; started != nil {
				row.At = started.Time
				p.Started = append(p.Started, row)
			}
		case stage.Failed(), stage.Blocked():
			if row.At = readySince(a); p.Now.Sub(row.At) < lately {
				p.FailedLately++
				p.Failed = append(p.Failed, row)
			}
		}
	}
	oldestFirst := func(a, b overviewRow) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}
	newestFirst := func(a, b overviewRow) int { return -oldestFirst(a, b) }
	p.Waits, p.Failed, p.Started = firstOf(p.Waits, oldestFirst), firstOf(p.Failed, newestFirst), firstOf(p.Started, newestFirst)
}

// readySince returns since when an application has been ready or not, for one that has ended: since its end.
func readySince(a *viewer.Application) time.Time {
	if ready := meta.FindStatusCondition(a.App.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.LastTransitionTime.Time
	}
	return a.App.CreationTimestamp.Time
}

// firstOf returns the first rows of a list.
func firstOf[T any](rows []T, compare func(a, b T) int) []T {
	slices.SortFunc(rows, compare)
	return rows[:min(len(rows), overviewShown)]
}

// trees fills in the trees of queues, with what applications held in them.
func (p *overviewPage) trees(queues []v1alpha1.SparkQueue, all []*viewer.Application) {
	stopped, of, histories := printer.StoppedOf(queues), map[string]*charts.History{}, []*charts.History{}
	var roots []*v1alpha1.SparkQueue
	for _, branch := range printer.Tree(queues) {
		if branch.Depth == 0 {
			roots, histories = append(roots, branch.Queue), append(histories, charts.NewHistory(p.Now))
		}
		of[branch.Queue.Name] = histories[len(histories)-1]
	}
	for _, a := range all {
		if a.Elsewhere {
			continue
		}
		used := a.Used()
		for _, r := range usage.RecordsOf(&used, p.Now) {
			if h := of[r.Queue]; h != nil {
				h.Add(r)
			}
		}
	}
	for i, root := range roots[:min(len(roots), treesShown)] {
		explained := stopped.Of(root)
		p.Trees = append(p.Trees, treeRow{root.Name, explained.Pending, explained.Admitted, printer.QueueMessage(explained), histories[i].Charts(explained.Usage)})
	}
	p.MoreTrees = max(0, len(roots)-treesShown)
}

// next fills in the schedules that are due next.
func (p *overviewPage) next(schedules []*viewer.Schedule) {
	var due []scheduleRow
	for _, s := range schedules {
		if row := rowOf(&s.ScheduledSparkApplication, p.Now); len(row.Coming) > 0 || row.Problem != "" {
			due = append(due, row)
		}
	}
	p.Next = firstOf(due, compareNext)
}
