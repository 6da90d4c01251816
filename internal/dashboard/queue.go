// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"slices"
	"time"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/printer"
	"github.com/sparkgate/sparkgate/internal/status"
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
	Bars       []bar
	Children   []string
	Message    string
	Waits      []waitRow
	Holders    []holderRow
	// MoreWaits and MoreHolders are how many more there are.
	MoreWaits, MoreHolders int
	// Unknown is why applications are not listed.
	Unknown string
	First   *firstInLine
	// History is what was held during the last hours.
	History []chart
	Now     time.Time
}

// waitRow is a waiting application.
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
func buildQueue(v *visit) (view, error) {
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
	explained, err := v.explainQueue(v.ctx, name)
	if err != nil {
		explained = printer.StoppedOf(queues).Of(&below[0])
		explained.NotLive = err.Error()
	}
	p := queuePage{
		Base: v.base, Name: name, Queue: explained, Message: printer.QueueMessage(explained), Bars: barsOf(&below[0], explained.Usage), Now: v.clock.Now(),
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
func (p *queuePage) applications(v *visit, below []v1alpha1.SparkQueue, exist map[string]bool) {
	t, err := watch(v, subject{client.Applications, client.Selection{}}, uidOfRow)
	var all []*application
	if err != nil {
		p.Unknown = err.Error()
	} else {
		all = t.all()
	}
	p.take(all, printer.QueueNames(below), exist)
	p.first(v)
}

// take divides applications into those that hold quota of the queues in within and those that wait for it. exist are
// all queues; they determine where an application is charged whose queue was deleted.
func (p *queuePage) take(all []*application, within, exist map[string]bool) {
	known := map[[2]string]*application{}
	var waits []*application
	past := newHistory(p.Now)
	for _, a := range all {
		if a.elsewhere {
			continue
		}
		past.of(a, within, p.Now)
		known[[2]string{a.app.Namespace, a.app.Name}] = a
		s, charged := a.summary(p.Now), printer.Charged(a.grantPath, exist)
		switch {
		case within[charged]:
			p.Holders = append(p.Holders, holderRow{s.Namespace, s.Name, s.Stage, charged, a.holds})
		case within[s.Queue] && status.Stage(s.Stage).Waiting():
			waits = append(waits, a)
		}
	}
	p.History = past.charts(p.Queue.Usage)
	p.line(waits, known)
	p.sortHolders()
}

// line lists the applications with a place in the queue, then others that wait in the queue or below it, those that
// have waited longest first.
func (p *queuePage) line(waits []*application, known map[[2]string]*application) {
	listed := map[[2]string]bool{}
	for _, head := range p.Queue.Heads {
		key := [2]string{head.Namespace, head.Name}
		listed[key] = true
		p.Waits = append(p.Waits, waiting(p, head, known[key]))
	}
	slices.SortFunc(waits, func(a, b *application) int {
		return cmp.Or(queuedAt(a).Compare(queuedAt(b)), cmp.Compare(a.app.Namespace, b.app.Namespace), cmp.Compare(a.app.Name, b.app.Name))
	})
	for _, a := range waits {
		if listed[[2]string{a.app.Namespace, a.app.Name}] {
			continue
		}
		if len(p.Waits) >= waitsShown {
			p.MoreWaits++
			continue
		}
		p.Waits = append(p.Waits, waiting(p, v1.Head{Namespace: a.app.Namespace, Name: a.app.Name}, a))
	}
}

// queuedAt returns since when an application has waited.
func queuedAt(a *application) time.Time {
	if q := a.app.Status.Times.Queued; q != nil {
		return q.Time
	}
	return a.app.CreationTimestamp.Time
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
func waiting(p *queuePage, head v1.Head, app *application) waitRow {
	row := waitRow{Head: head, Position: head.Position, Reserved: slices.ContainsFunc(p.Queue.ReservedFor, func(r v1.Head) bool {
		return r.Namespace == head.Namespace && r.Name == head.Name
	})}
	if app != nil {
		s := app.summary(p.Now)
		row.Known, row.Message, row.Stage, row.Queue, row.Since = true, s.Message, s.Stage, s.Queue, queuedAt(app)
	}
	return row
}

// first fills in what would unblock the first application.
func (p *queuePage) first(v *visit) {
	if len(p.Queue.Heads) == 0 || !p.Waits[0].Known || p.Queue.NotLive != "" {
		return
	}
	head := p.Waits[0].Head
	explained, err := v.explainApplication(v.ctx, head.Namespace, head.Name)
	if err == nil && explained.Waits != nil && len(explained.Waits.Remedies) > 0 && status.Stage(explained.Stage).Waiting() {
		p.First = &firstInLine{head.Namespace, head.Name, explained}
	}
}
