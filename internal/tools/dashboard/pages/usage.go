// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

const (
	// usageShown is how many rows are on a page.
	usageShown = 50
	// sinceDefault is the default of the period.
	sinceDefault = "7d"
	byLabel      = "label"
)

// usagePage shows what was used, and how much of it was wasted.
type usagePage struct {
	Base   string
	Filter filter
	// By is queue, namespace, application or label; Label is the name of the label. Since and Until are the texts of
	// the viewer.
	By, Label, Since, Until string
	// Over describes the period of the sums: the requested one, or the default if that is invalid.
	Over string
	// Prices is the price list that the viewer gave.
	Prices string
	// Problems are mistakes in the viewer's input.
	Problems []string
	Keys     []string
	Report   usage.Report
	Rows     []usageRow
	Total    usageRow
	Priced   bool
	// Used is the part of the granted time that pods really requested, in percent.
	Used string
	// Cut is the number of applications with missing attempts.
	Cut                int
	Queues, Namespaces []string
	Pager              pager
}

// usageRow is what was used under one key.
type usageRow struct {
	usage.Row
	// Path is the page of what the key names; empty if there is none.
	Path string
	Bar  wasteBar
	// Cost and WastedCost are in the currency of the prices.
	Cost, WastedCost string
}

// Wastes reports whether something was paid for that failed or was preempted.
func (r usageRow) Wastes() bool { return r.Row.WastedCost != nil && *r.Row.WastedCost > 0 }

// wasteBar shows how core-hours ended. All numbers are between 0 and barWidth.
type wasteBar struct {
	Text                               string
	Good, Stopped, Preempted, Failed   float64
	StoppedAt, PreemptedAt, FailedFrom float64
}

// buildUsage is the builder for the usage of applications.
func buildUsage(v *Visit) (view, error) {
	out := view{title: "Usage", section: sectionUsage, template: "usage"}
	query := v.request.URL.Query()
	p := usagePage{
		Base: v.site.Base, Filter: filterOf(query), By: cmp.Or(say(query.Get("by")), "queue"), Label: say(query.Get("label")),
		Since: cmp.Or(say(query.Get("since")), sinceDefault), Until: say(query.Get("until")), Prices: strings.TrimSpace(strings.ReplaceAll(query.Get("prices"), "\r\n", "\n")),
		Keys: []string{"queue", "namespace", "application", byLabel},
	}
	t, err := watch[viewer.Application](v, viewer.ListOf(client.Applications, client.Selection{Namespace: p.Filter.Namespace}))
	if err != nil {
		return v.choose(out, "usage", err)
	}
	now := v.Clock.Now()
	p.sum(t.All(), p.question(v.site.Prices, now), now)
	p.Pager = pageOf(v.request, len(p.Rows), usageShown)
	p.Rows = p.Rows[p.Pager.from:p.Pager.to]
	out.data = p
	return out, nil
}

// question is what the viewer asks for. Invalid input is replaced by its default, and reported as a problem.
type question struct {
	key    usage.Key
	window usage.Window
	prices *usage.Prices
}

func (p *usagePage) question(prices *usage.Prices, now time.Time) question {
	q := question{key: usage.ByQueue, prices: prices, window: p.window(now)}
	by := p.By
	if by == byLabel {
		by += "=" + p.Label
	}
	if key, err := usage.ParseKey(by); err == nil {
		q.key = key
	} else {
		p.problem("by: %v", err)
		p.By = "queue"
	}
	if p.Prices != "" {
		var err error
		if q.prices, err = usage.ParsePrices([]byte(p.Prices)); err != nil {
			p.problem("%v", err)
		}
	}
	if p.Filter.Problem != "" {
		p.problem("labels: %s", p.Filter.Problem)
	}
	return q
}

// window returns the period that the viewer asks for, and sets Over.
func (p *usagePage) window(now time.Time) usage.Window {
	window, err := usage.ParseWindow(p.Since, p.Until, now)
	_, notAgo := usage.ParseSince(p.Since)
	switch {
	case err != nil:
		p.problem("%s", strings.TrimPrefix(err.Error(), "--")) // the fields have the names of the flags
		back, _ := usage.ParseSince(sinceDefault)
		p.Over = "in the last " + sinceDefault
		return usage.Window{From: now.Add(-back), Until: now}
	case notAgo == nil && p.Until == "":
		p.Over = "in the last " + p.Since
	default:
		p.Over = "from " + window.From.UTC().Format(time.RFC3339) + " to " + window.Until.UTC().Format(time.RFC3339)
	}
	return window
}

func (p *usagePage) problem(format string, args ...any) {
	p.Problems = append(p.Problems, fmt.Sprintf(format, args...))
}

// sum adds up what the selected applications used.
func (p *usagePage) sum(all []*viewer.Application, q question, now time.Time) {
	queues, namespaces := map[string]bool{}, map[string]bool{}
	var records []usage.Record
	for _, a := range all {
		app := a.Used()
		for _, r := range usage.RecordsOf(&app, now) {
			queues[r.Queue] = true
		}
		namespaces[app.Namespace] = true
		if !p.Filter.selector.Matches(labels.Set(app.Labels)) {
			continue
		}
		charged, lacks := q.window.ChargedTo(p.Filter.Queue, &app, now)
		if records = append(records, charged...); lacks {
			p.Cut++
		}
	}
	p.Queues, p.Namespaces = offered(queues), offered(namespaces)
	p.Report, p.Priced = usage.Summarize(records, q.window, q.key, q.prices), q.prices != nil
	most := 0.0
	for i := range p.Report.Rows {
		most = max(most, p.Report.Rows[i].Granted.CPU)
	}
	for _, r := range p.Report.Rows {
		p.Rows = append(p.Rows, p.row(r, most))
	}
	p.Total = p.row(p.Report.Total, p.Report.Total.Granted.CPU)
	p.Used = percent(p.Report.Total.Requested.CPU, p.Report.Total.Granted.CPU)
}

// row returns a row of the page. most is the amount that the whole width of its bar stands for.
func (p *usagePage) row(r usage.Row, most float64) usageRow {
	row := usageRow{Row: r, Bar: wasteOf(r, most)}
	if r.Cost != nil {
		row.Cost, row.WastedCost = money(*r.Cost, p.Report.Currency), money(*r.WastedCost, p.Report.Currency)
	}
	if r.Key == "" {
		return row
	}
	switch p.By {
	case "queue":
		row.Path = PathOf(p.Base, "queues", r.Key)
	case "namespace":
		row.Path = PathOf(p.Base, "applications") + "?" + url.Values{"namespace": {r.Key}}.Encode()
	case "application":
		namespace, name, _ := strings.Cut(r.Key, "/")
		row.Path = PathOf(p.Base, "applications", namespace, name)
	}
	return row
}

func wasteOf(r usage.Row, most float64) wasteBar {
	b := wasteBar{Text: fmt.Sprintf("%s core-hours, of them %s failed, %s preempted, %s stopped",
		charts.Rounded(r.Granted.CPU), charts.Rounded(r.Failed.CPU), charts.Rounded(r.Preempted.CPU), charts.Rounded(r.Stopped.CPU))}
	if most <= 0 {
		return b
	}
	part := func(amount float64) float64 { return max(0, amount) / most * charts.BarWidth }
	b.Stopped, b.Preempted, b.Failed = part(r.Stopped.CPU), part(r.Preempted.CPU), part(r.Failed.CPU)
	b.Good = part(r.Granted.CPU - r.Stopped.CPU - r.Preempted.CPU - r.Failed.CPU)
	b.StoppedAt = b.Good
	b.PreemptedAt = b.StoppedAt + b.Stopped
	b.FailedFrom = b.PreemptedAt + b.Preempted
	return b
}

// money formats a cost.
func money(amount float64, currency string) string {
	return strings.TrimSpace(fmt.Sprintf("%.2f %s", amount, currency))
}

// percent formats a part of a whole; empty if the whole is 0.
func percent(part, whole float64) string {
	if whole <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", part/whole*100)
}
