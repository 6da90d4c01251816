// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Widths of the bars that show how much of a quota is used, in characters.
const (
	barWidth = 20
	// minForBars is the width of the narrowest terminal in which bars are drawn.
	minForBars = 100
)

// Holder is an application that holds quota of a queue.
type Holder struct {
	Namespace, Name, Stage string
	// Since is when the current attempt was admitted; zero if that is not known.
	Since time.Time
	Hold  *v1.Hold
}

// HolderOf returns the application as a holder, with the quota that its status says it holds.
func HolderOf(app *v1alpha1.SparkApplication) Holder {
	view := FromStatus(app, nil)
	holder := Holder{Namespace: app.Namespace, Name: app.Name, Stage: view.Stage, Hold: view.Holds}
	if at := app.Status.Times.Admitted; at != nil {
		holder.Since = at.Time
	}
	return holder
}

// GrantPath returns the queue of a grant and the queues that were above it when it was given, nearest first; nil
// without a grant.
func GrantPath(g *v1alpha1.Grant) []string {
	if g == nil {
		return nil
	}
	return append([]string{g.Queue}, g.Ancestors...)
}

// Charged returns the queue in a grant's path that the grant counts in: the first one that still exists, because the
// applications of a deleted queue count in the queue above it. It returns "" if none exists.
func Charged(path []string, exists map[string]bool) string {
	if i := slices.IndexFunc(path, func(name string) bool { return exists[name] }); i >= 0 {
		return path[i]
	}
	return ""
}

// QueueNames returns the names of queues as a set.
func QueueNames(queues []v1alpha1.SparkQueue) map[string]bool {
	names := make(map[string]bool, len(queues))
	for i := range queues {
		names[queues[i].Name] = true
	}
	return names
}

// Branch is a queue with its depth in a tree; 0 for a root.
type Branch struct {
	Queue *v1alpha1.SparkQueue
	Depth int
}

// Tree returns queues in the order of their trees: each queue before those below it, siblings by name. A queue whose
// parent is not in the list counts as a root, and so does one whose parents form a circle.
func Tree(queues []v1alpha1.SparkQueue) []Branch {
	t := tree{children: map[string][]*v1alpha1.SparkQueue{}, taken: map[string]bool{}}
	known := map[string]bool{}
	for i := range queues {
		known[queues[i].Name] = true
	}
	for i := range queues {
		parent := queues[i].Spec.Parent
		if !known[parent] {
			parent = ""
		}
		t.children[parent] = append(t.children[parent], &queues[i])
	}
	t.below("", 0)
	for i := range queues {
		t.add(&queues[i], 0)
	}
	return t.branches
}

// tree collects queues in the order of their trees.
type tree struct {
	children map[string][]*v1alpha1.SparkQueue
	taken    map[string]bool
	branches []Branch
}

func (t *tree) below(parent string, depth int) {
	children := t.children[parent]
	slices.SortFunc(children, func(a, b *v1alpha1.SparkQueue) int { return cmp.Compare(a.Name, b.Name) })
	for _, q := range children {
		t.add(q, depth)
	}
}

func (t *tree) add(q *v1alpha1.SparkQueue, depth int) {
	if t.taken[q.Name] {
		return
	}
	t.taken[q.Name] = true
	t.branches = append(t.branches, Branch{q, depth})
	t.below(q.Name, depth+1)
}

// Subtree returns a queue, first, and the queues below it; none if the queue does not exist.
func Subtree(queues []v1alpha1.SparkQueue, name string) []v1alpha1.SparkQueue {
	var below []v1alpha1.SparkQueue
	from := -1
	for _, b := range Tree(queues) {
		switch {
		case from >= 0 && b.Depth <= from:
			return below
		case from < 0 && b.Queue.Name == name:
			from = b.Depth
		}
		if from >= 0 {
			below = append(below, *b.Queue)
		}
	}
	return below
}

// Stop names the queue whose stopPolicy stops a queue: the queue itself or one above it.
type Stop struct {
	By      string
	Drained bool
}

// Stopped has, by name, the queues that admit nothing because of a stopPolicy. If several policies apply, the nearest
// one that drains counts, else the nearest one that holds.
type Stopped map[string]Stop

// StoppedOf returns the stopped ones of all queues.
func StoppedOf(all []v1alpha1.SparkQueue) Stopped {
	known := map[string]*v1alpha1.SparkQueue{}
	for i := range all {
		known[all[i].Name] = &all[i]
	}
	stopped := Stopped{}
	for name := range known {
		// Bound the steps, because the parents may form a circle.
		for q, steps := known[name], 0; q != nil && steps < len(all); q, steps = known[q.Spec.Parent], steps+1 {
			view, nearer := FromQueueStatus(q), stopped[name]
			if view.StoppedBy != "" && (nearer.By == "" || view.Drained && !nearer.Drained) {
				stopped[name] = Stop{view.StoppedBy, view.Drained}
			}
		}
	}
	return stopped
}

// Of returns the explanation of a queue from its status, with the queue that stops it.
func (s Stopped) Of(queue *v1alpha1.SparkQueue) v1.Queue {
	view, stop := FromQueueStatus(queue), s[queue.Name]
	view.StoppedBy, view.Drained = stop.By, stop.Drained
	return view
}

// WriteQueues writes queues as trees, with their use of quotas. The last column is cut to the width of the terminal; 0
// if the output is not a terminal.
func WriteQueues(out io.Writer, queues []v1alpha1.SparkQueue, stopped Stopped, width int) error {
	t := queueTable{bars: width == 0 || width >= minForBars, stopped: stopped}
	t.rows = [][]string{t.columns("QUEUE", "WAITING", "ADMITTED", "RESOURCE", "USED", "QUOTA", "", "BORROWED", "MESSAGE")}
	for _, b := range Tree(queues) {
		t.add(b)
	}
	return writeTable(out, t.rows, width)
}

// queueTable collects the rows of the queues.
type queueTable struct {
	bars    bool
	stopped Stopped
	rows    [][]string
}

// columns leaves out the bar if bars are not drawn.
func (t *queueTable) columns(cells ...string) []string {
	const bar = 6
	if t.bars {
		return cells
	}
	return slices.Delete(cells, bar, bar+1)
}

func (t *queueTable) add(b Branch) {
	view := t.stopped.Of(b.Queue)
	head := []string{strings.Repeat("  ", b.Depth) + b.Queue.Name, strconv.Itoa(int(view.Pending)), strconv.Itoa(int(view.Admitted))}
	message := QueueMessage(view)
	for _, u := range view.Usage {
		if u.Resource == "pods" && u.Nominal == nil {
			continue
		}
		t.rows = append(t.rows, t.columns(append(head, usageCells(u, message)...)...))
		head, message = []string{"", "", ""}, ""
	}
	// A queue without any usage.
	if head[0] != "" {
		t.rows = append(t.rows, t.columns(append(head, "", "", "", "", "", message)...))
	}
}

// ResourceText names a resource, with its flavor unless that is the default one.
func ResourceText(u v1.Usage) string {
	if u.Flavor == v1alpha1.DefaultFlavor {
		return u.Resource
	}
	return u.Resource + " (" + u.Flavor + ")"
}

// usageCells returns the cells of one resource.
func usageCells(u v1.Usage, message string) []string {
	bar := ""
	if u.Nominal != nil {
		bar = usageBar(u.Used, *u.Nominal)
	}
	return []string{ResourceText(u), amounts.Text(u.Used), OrNoLimit(u.Nominal), bar, borrowedText(u), message}
}

func borrowedText(u v1.Usage) string {
	if u.Borrowed == nil || u.Borrowed.IsZero() {
		return ""
	}
	return amounts.Text(*u.Borrowed)
}

// usageBar draws the used part of a quota. What is borrowed is not drawn: the bar is full at the quota.
func usageBar(used, nominal resource.Quantity) string {
	filled := 0
	if n := nominal.AsApproximateFloat64(); n > 0 {
		filled = int(min(1, used.AsApproximateFloat64()/n) * barWidth)
	} else if !used.IsZero() {
		filled = barWidth
	}
	return "[" + strings.Repeat("#", filled) + strings.Repeat(".", barWidth-filled) + "]"
}

// QueueMessage returns the reason why a queue admits nothing; empty if it admits applications.
func QueueMessage(q v1.Queue) string {
	how, policy := stopWords(q)
	switch {
	case q.Problem != "":
		return q.Problem + ": " + oneLine(q.Message)
	case q.StoppedBy == q.Name && q.StoppedBy != "":
		return fmt.Sprintf("%s (stopPolicy %s)", how, policy)
	case q.StoppedBy != "":
		return fmt.Sprintf("%s by queue %s above it (stopPolicy %s)", how, q.StoppedBy, policy)
	}
	return ""
}

// stopWords returns how a queue is stopped ("held" or "drained"), and by which policy.
func stopWords(q v1.Queue) (how string, policy v1alpha1.StopPolicy) {
	if q.Drained {
		return "drained", v1alpha1.StopPolicyHoldAndDrain
	}
	return "held", v1alpha1.StopPolicyHold
}

// WriteLine writes which applications are first in line in a queue, and which ones hold its quota. If the holders are
// not known, unknown says why.
func WriteLine(out io.Writer, queue *v1alpha1.SparkQueue, holders []Holder, unknown string) error {
	p := &page{}
	for i, h := range FromQueueStatus(queue).Heads {
		p.line("%-8s %s", first(i, "Waits"), HeadText(h))
	}
	for i, h := range holders {
		since := ""
		if !h.Since.IsZero() {
			since = " since " + h.Since.UTC().Format(time.RFC3339)
		}
		p.line("%-8s %s/%s (%s)%s", first(i, "Holds"), h.Namespace, h.Name, h.Stage, since)
		for _, set := range h.Hold.PodSets {
			p.line("%-8s   %s", "", PodSetText(set))
		}
	}
	if unknown != "" {
		p.line("%-8s not known: %s", "Holds", unknown)
	}
	if p.text.Len() > 0 {
		return p.end(out, "")
	}
	return nil
}
