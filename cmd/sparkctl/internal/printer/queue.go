// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"io"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
)

// WriteQueue writes an explanation of a queue for people.
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
	if q.HeldBy != "" {
		p.line("nothing new is admitted: queue %s is held (stopPolicy)", q.HeldBy)
	}
	if q.FullBy != "" {
		p.line("nothing new is admitted: queue %s is full (maxRunning)", q.FullBy)
	}
	p.room(q)
	for i, h := range q.Heads {
		if i == 0 {
			p.paragraph()
			p.line("First in line:")
		}
		p.line("  %s%s", headText(h), keptMark(q, h))
	}
	return p.end(out, q.NotLive)
}

func (p *page) room(q v1.Queue) {
	if len(q.Room) == 0 {
		return
	}
	rows := [][]string{{"RESOURCE", "FLAVOR", "USED", "NOMINAL", "BORROWED", "FREE", "MOST EVER"}}
	for _, r := range q.Room {
		row := []string{r.Resource, r.Flavor, r.Used.String(), orNoLimit(r.Nominal), orNothing(r.Borrowed), orNoLimit(r.Free), orNoLimit(r.Most)}
		if q.NotLive != "" {
			row[5], row[6] = "", ""
		}
		rows = append(rows, row)
	}
	p.table(rows)
}

// keptMark marks the one for whom room is kept.
func keptMark(q v1.Queue, h v1.Head) string {
	for _, k := range q.KeptFor {
		if k.Namespace == h.Namespace && k.Name == h.Name {
			return " (quota is reserved for it)"
		}
	}
	return ""
}
