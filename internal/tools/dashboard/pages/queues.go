// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const (
	// queuesShown is the maximum number of queues on a page, and barsShown that of bars. If queues have many resources
	// and flavors, there are fewer queues on a page.
	queuesShown = 100
	barsShown   = 200
)

// queuesPage is the tree of queues.
type queuesPage struct {
	Base    string
	Text    string
	Rows    []queueRow
	Pager   pager
	Waiting int32
	// Running is the number of applications that hold quota.
	Running int32
	Queues  int
}

// queueRow is a queue in the tree.
type queueRow struct {
	Name     string
	Depth    int
	Waiting  int32
	Admitted int32
	Bars     []charts.Bar
	// Message is why it admits nothing; empty if it does.
	Message string
}

// queuesOf returns the queues that the viewer may see.
func queuesOf(v *Visit) ([]v1alpha1.SparkQueue, error) {
	t, err := watch[v1alpha1.SparkQueue](v, viewer.ListOf(client.Queues, client.Selection{}))
	if err != nil {
		return nil, err
	}
	rows := t.All()
	queues := make([]v1alpha1.SparkQueue, 0, len(rows))
	for _, q := range rows {
		queues = append(queues, *q)
	}
	return queues, nil
}

// buildQueues is the builder for all trees of queues.
func buildQueues(v *Visit) (view, error) {
	out := view{title: "Queues", section: sectionQueues, template: "queues"}
	queues, err := queuesOf(v)
	if err != nil {
		return v.choose(out, "applications", err)
	}
	query := v.request.URL.Query()
	p, stopped := queuesPage{Base: v.site.Base, Text: say(query.Get("q")), Queues: len(queues)}, printer.StoppedOf(queues)
	for _, branch := range printer.Tree(queues) {
		explained := stopped.Of(branch.Queue)
		if branch.Depth == 0 {
			p.Waiting += explained.Pending
			p.Running += explained.Admitted
		}
		if p.Text != "" && !strings.Contains(branch.Queue.Name, strings.ToLower(p.Text)) {
			continue
		}
		p.Rows = append(p.Rows, queueRow{
			Name: branch.Queue.Name, Depth: min(branch.Depth, deepest), Waiting: explained.Pending, Admitted: explained.Admitted,
			Bars: charts.BarsOf(branch.Queue, explained.Usage), Message: printer.QueueMessage(explained),
		})
	}
	p.Pager = pageOf(v.request, len(p.Rows), queuesOnPage(p.Rows))
	p.Rows = p.Rows[p.Pager.from:p.Pager.to]
	out.data = p
	return out, nil
}

// queuesOnPage returns how many queues are listed on a page.
func queuesOnPage(rows []queueRow) int {
	bars := 1
	for i := range rows {
		bars = max(bars, len(rows[i].Bars))
	}
	return max(1, min(queuesShown, barsShown/bars))
}

// deepest is the maximum indentation of the tree.
const deepest = 8
