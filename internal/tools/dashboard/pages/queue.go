// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"slices"
	"time"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const (
	// holdersShown is how many applications that hold quota of a queue are listed.
	holdersShown = 50
	// waitsShown is how many waiting applications are listed.
	waitsShown = 50
)

// queuePage is the page of one queue: who holds its quota, and who waits for it.
type queuePage struct {
	Base, Name string
	Queue      v1.Queue
	Bars       []charts.Bar
	Children   []string
	Message    string
	Waits      []waitRow
	Holders    []holderRow
	// MoreWaits and MoreHolders are how many more there are.
	MoreWaits, MoreHolders int
	// Unknown is why applications are not listed.
	Unknown string
	// Only is the namespace whose applications are listed, for a viewer who may not list others; empty if all are.
	Only  string
	First *firstInLine
	// History is what was held during the last hours.
	History []charts.Chart
	Now     time.Time
}

// waitRow is a pending ask.
type waitRow struct {
	Head     v1.Head
	Reserved bool
	// Known reports that the viewer may see the application.
	Known    bool
	Message  string
	Since    time.Time
	Stage    string
	Queue    string
	Position int
}

// holderRow is an application that holds quota.
type holderRow struct {
	Namespace, Name, Stage, Queue string
	Holds                         []string
}

// firstInLine is what would unblock the first application in the queue.
type firstInLine struct {
	Namespace, Name string
	Explained       v1.Application
}

// buildQueue is the builder for the page of one queue.
func buildQueue(v *Visit) (view, error) {
	name := v.request.PathValue("name")
	out := view{title: "Queue " + name, section: sectionQueues, template: "queue"}
	queues, err := queuesOf(v)
	if err != nil {
		return out, err
	}
	below := printer.Subtree(queues, name)
	if len(below) == 0 {
		return out, &notFound{"sparkqueue " + name + " not found: it does not exist, or was deleted"}
	}
	explained, err := v.ExplainQueue(v.ctx, name)
	if err != nil {
		explained = printer.StoppedOf(queues).Of(&below[0])
		explained.NotLive = err.Error()
	}
	p := queuePage{
		Base: v.site.Base, Name: name, Queue: explained, Message: printer.QueueMessage(explained), Bars: charts.BarsOf(&below[0], explained.Usage), Now: v.Clock.Now(),
	}
	for i := range below {
		if below[i].Spec.Parent == name {
			p.Children = append(p.Children, below[i].Name)
		}
	}
	slices.Sort(p.Children)
	p.applications(v, below, printer.QueueNames(queues))
	out.data = p
	return out, nil
}

// applications fills in who waits and who holds quota.
func (p *queuePage) applications(v *Visit, below []v1alpha1.SparkQueue, exist map[string]bool) {
	t, err := watch[viewer.Application](v, viewer.ListOf(client.Applications, client.Selection{}))
	if last := v.lastNamespace(); last != "" && client.IsForbidden(err) {
		p.Only = last
		t, err = watch[viewer.Application](v, viewer.ListOf(client.Applications, client.Selection{Namespace: last}))
	}
	var all []*viewer.Application
	if err != nil {
		p.Unknown = err.Error()
	} else {
		all = t.All()
	}
	p.take(all, printer.QueueNames(below), exist)
	p.first(v)
}

// take divides applications into those that hold quota of the queues in within and those that wait for it. exist are
// all queues; they determine where an application is charged whose queue was deleted.
func (p *queuePage) take(all []*viewer.Application, within, exist map[string]bool) {
	known := map[[2]string]*viewer.Application{}
	var waits []*viewer.Application
	past := charts.NewHistory(p.Now)
	for _, a := range all {
		if a.Elsewhere {
			continue
		}
		used := a.Used()
		past.Of(&used, within, p.Now)
		known[[2]string{a.App.Namespace, a.App.Name}] = a
		s, charged := a.Summary(p.Now), printer.Charged(a.GrantPath, exist)
		switch {
		case within[charged]:
			p.Holders = append(p.Holders, holderRow{s.Namespace, s.Name, s.Stage, charged, a.Holds})
		case within[s.Queue] && status.Stage(s.Stage).Waiting():
			waits = append(waits, a)
		}
	}
	p.History = past.Charts(p.Queue.Usage)
	p.line(waits, known)
	p.sortHolders()
}

// line lists the applications with a place in the queue, then others that wait in the queue or below it, those that
// have waited longest first.
func (p *queuePage) line(waits []*viewer.Application, known map[[2]string]*viewer.Application) {
	listed := map[[2]string]bool{}
	for _, head := range p.Queue.Heads {
		var app *viewer.Application
		if key := [2]string{head.Namespace, head.Name}; head.Kind == v1alpha1.SparkApplicationKind {
			listed[key], app = true, known[key]
		}
		p.Waits = append(p.Waits, waiting(p, head, app))
	}
	slices.SortFunc(waits, func(a, b *viewer.Application) int {
		return cmp.Or(queuedAt(a).Compare(queuedAt(b)), cmp.Compare(a.App.Namespace, b.App.Namespace), cmp.Compare(a.App.Name, b.App.Name))
	})
	for _, a := range waits {
		if listed[[2]string{a.App.Namespace, a.App.Name}] {
			continue
		}
		if len(p.Waits) >= waitsShown {
			p.MoreWaits++
			continue
		}
		p.Waits = append(p.Waits, waiting(p, v1.Head{Kind: v1alpha1.SparkApplicationKind, Namespace: a.App.Namespace, Name: a.App.Name}, a))
	}
}

// queuedAt returns since when an application has waited.
func queuedAt(a *viewer.Application) time.Time {
	if q := a.App.Status.Times.Queued; q != nil {
		return q.Time
	}
	return a.App.CreationTimestamp.Time
}

func (p *queuePage) sortHolders() {
	slices.SortFunc(p.Holders, func(a, b holderRow) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	if more := len(p.Holders) - holdersShown; more > 0 {
		p.Holders, p.MoreHolders = p.Holders[:holdersShown], more
	}
}

// waiting returns the row of a waiting application. app is nil if the viewer may not see it.
func waiting(p *queuePage, head v1.Head, app *viewer.Application) waitRow {
	row := waitRow{Head: head, Position: head.Position, Reserved: slices.ContainsFunc(p.Queue.ReservedFor, func(r v1.Head) bool {
		return r.Kind == head.Kind && r.Namespace == head.Namespace && r.Name == head.Name
	})}
	if app != nil {
		s := app.Summary(p.Now)
		row.Known, row.Message, row.Stage, row.Queue, row.Since = true, s.Message, s.Stage, s.Queue, queuedAt(app)
	}
	return row
}

// first fills in what would unblock the first application.
func (p *queuePage) first(v *Visit) {
	if len(p.Queue.Heads) == 0 || !p.Waits[0].Known || p.Queue.NotLive != "" {
		return
	}
	p.First = v.unblocks(p.Waits[0].Head.Namespace, p.Waits[0].Head.Name)
}

// unblocks returns what would let an application start; nil if that is not known.
func (v *Visit) unblocks(namespace, name string) *firstInLine {
	explained, err := v.ExplainApplication(v.ctx, namespace, name)
	if err != nil || explained.Waits == nil || len(explained.Waits.Remedies) == 0 || !status.Stage(explained.Stage).Waiting() {
		return nil
	}
	return &firstInLine{namespace, name, explained}
}
