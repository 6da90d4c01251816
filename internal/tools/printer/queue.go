// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"io"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// WriteQueue writes the explanation of a queue as text for a terminal.
func WriteQueue(out io.Writer, q v1.Queue) error {
	p := &page{}
	below := ""
	if q.Parent != "" {
		below = ", below " + q.Parent
	}
	p.line("queue %s%s: %d waiting, %d admitted", q.Name, below, q.Pending, q.Admitted)
	if q.Problem != "" {
		p.line("%s: %s", q.Problem, q.Message)
	}
	switch how, policy := stopWords(q); {
	case q.StoppedBy == "":
	case q.Drained:
		p.line("nothing new is admitted, and what runs is stopped: queue %s is %s (stopPolicy %s)", q.StoppedBy, how, policy)
	default:
		p.line("nothing new is admitted: queue %s is %s (stopPolicy %s)", q.StoppedBy, how, policy)
	}
	if q.AtMaxRunning != "" {
		p.line("nothing new is admitted: queue %s is full (maxRunning)", q.AtMaxRunning)
	}
	p.usage(q)
	for i, h := range q.Heads {
		if i == 0 {
			p.paragraph()
			p.line("First in line:")
		}
		p.line("  %s%s", HeadText(h), reservedMark(q, h))
	}
	return p.end(out, q.NotLive)
}

func (p *page) usage(q v1.Queue) {
	if len(q.Usage) == 0 {
		return
	}
	rows := [][]string{{"RESOURCE", "FLAVOR", "USED", "NOMINAL", "BORROWED", "RESERVED", "AVAILABLE", "MAX"}}
	const available, most = 6, 7
	for _, r := range q.Usage {
		row := []string{
			r.Resource, r.Flavor, amounts.Text(r.Used), OrNoLimit(r.Nominal), orNothing(r.Borrowed), orNothing(r.Reserved), OrNoLimit(r.Available), OrNoLimit(r.Max),
		}
		if q.NotLive != "" {
			row[available], row[most] = "", ""
		}
		rows = append(rows, row)
	}
	p.table(rows)
}

// reservedMark returns a note for the ask for which quota is reserved; empty for the others.
func reservedMark(q v1.Queue, h v1.Head) string {
	for _, k := range q.ReservedFor {
		if k.Kind == h.Kind && k.Namespace == h.Namespace && k.Name == h.Name {
			return " (quota is reserved for it)"
		}
	}
	return ""
}
