// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"cmp"
	"slices"
	"time"
)

// Key returns the value by which a record is grouped.
type Key func(Record) string

// ByQueue groups records by queue.
func ByQueue(r Record) string { return r.Queue }

// ByNamespace groups records by namespace.
func ByNamespace(r Record) string { return r.Namespace }

// ByApplication groups records by the namespace and name of their application.
func ByApplication(r Record) string { return r.Namespace + "/" + r.Application }

// ByLabel returns a Key that groups records by the value of a label of the application; empty if the application lacks
// the label.
func ByLabel(label string) Key { return func(r Record) string { return r.Labels[label] } }

// Row is the sum of the records with one key. All amounts are in hours.
type Row struct {
	Key      string `json:"key"`
	Attempts int    `json:"attempts"`
	// Granted is the amount that grants held, and Requested the amount that pods requested.
	Granted   Amounts `json:"granted"`
	Requested Amounts `json:"requested"`
	// Failed, Preempted and Stopped are parts of Granted.
	Failed    Amounts `json:"failed"`
	Preempted Amounts `json:"preempted"`
	Stopped   Amounts `json:"stopped"`
	// Cost is the cost of Granted, and WastedCost that of the failed and preempted attempts; nil without a price list.
	Cost       *float64 `json:"cost,omitempty"`
	WastedCost *float64 `json:"wastedCost,omitempty"`
}

// Wasted returns the amount of attempts that failed or were preempted.
func (r *Row) Wasted() Amounts { return r.Failed.Plus(r.Preempted) }

// Report is the usage in a window.
type Report struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	// Currency is that of the costs; empty without a price list.
	Currency string `json:"currency,omitempty"`
	Rows     []Row  `json:"rows"`
	Total    Row    `json:"total"`
}

// Summarize groups the records within a window. Rows are sorted by the granted amount, most cores first. Without prices
// the report has no costs.
func Summarize(records []Record, w Window, by Key, prices *Prices) Report {
	report := Report{From: w.From, Until: w.Until, Rows: []Row{}, Total: Row{Key: "total"}}
	if prices != nil {
		report.Currency = prices.Currency
	}
	rows := map[string]*Row{}
	for _, r := range records {
		r, inside := w.clip(r)
		if !inside {
			continue
		}
		key := by(r)
		if rows[key] == nil {
			rows[key] = &Row{Key: key}
		}
		rows[key].add(r, prices)
		report.Total.add(r, prices)
	}
	for _, row := range rows {
		report.Rows = append(report.Rows, *row)
	}
	slices.SortFunc(report.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Granted.CPU, a.Granted.CPU), cmp.Compare(b.Granted.Memory, a.Granted.Memory), cmp.Compare(a.Key, b.Key))
	})
	return report
}

const secondsPerHour = 3600

// add adds a record to the row.
func (r *Row) add(record Record, prices *Prices) {
	granted := record.Granted.Times(1.0 / secondsPerHour)
	r.Attempts++
	r.Granted = r.Granted.Plus(granted)
	r.Requested = r.Requested.Plus(record.Requested.Times(1.0 / secondsPerHour))
	wasted := false
	switch record.Outcome {
	case Failed:
		r.Failed, wasted = r.Failed.Plus(granted), true
	case Preempted:
		r.Preempted, wasted = r.Preempted.Plus(granted), true
	case Stopped:
		r.Stopped = r.Stopped.Plus(granted)
	case Succeeded, Running:
	}
	if prices == nil {
		return
	}
	cost := prices.of(record.Queue).cost(granted)
	r.Cost = sum(r.Cost, cost)
	if wasted {
		r.WastedCost = sum(r.WastedCost, cost)
	} else {
		r.WastedCost = sum(r.WastedCost, 0)
	}
}

func sum(total *float64, more float64) *float64 {
	if total != nil {
		more += *total
	}
	return &more
}
