// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Count returns a number of things whose plural ends with s: "1 object", "2 objects".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// WriteApplication writes the explanation of an application as text for a terminal.
func WriteApplication(out io.Writer, a v1.Application) error {
	p := &page{}
	p.line("%s", Headline(a))
	if text := Because(a); text != "" {
		p.line("%s", text)
		// For example, why it does not start although it has quota.
	} else if a.StageMessage != "" && a.Holds != nil {
		p.line("%s", oneLine(a.StageMessage))
	}
	if a.Waits != nil {
		p.wait(a)
	}
	if a.Holds != nil {
		p.hold(a.Holds)
	}
	return p.end(out, a.NotLive)
}

// Headline returns the state of an application in one line.
func Headline(a v1.Application) string {
	name, stage := a.Namespace+"/"+a.Name, ""
	if a.Stage != "" {
		stage = " (" + a.Stage + ")"
	}
	if a.State == v1.Waiting && a.Stage == v1alpha1.ReferenceNotFoundReason {
		return fmt.Sprintf("%s is not in queue %s yet: something that its spec names does not exist", name, a.Queue)
	}
	switch a.State {
	case v1.Waiting:
		return fmt.Sprintf("%s waits in queue %s%s", name, a.Queue, place(a))
	case v1.Refused:
		return fmt.Sprintf("%s can never start in queue %s with the current configuration", name, a.Queue)
	case v1.Undecided:
		return fmt.Sprintf("%s is new in its queue and has not been considered yet", name)
	case v1.Granted:
		return fmt.Sprintf("%s holds quota in queue %s%s", name, a.Queue, stage)
	case v1.Evicting:
		return fmt.Sprintf("%s has to release its quota in queue %s%s", name, a.Queue, stage)
	case v1.Absent:
		return fmt.Sprintf("%s requests nothing and holds nothing%s", name, stage)
	}
	return fmt.Sprintf("%s is %s in queue %s%s", name, a.State, a.Queue, stage)
}

// place returns an application's place in line, as the end of a sentence.
func place(a v1.Application) string {
	switch w := a.Waits; {
	case w == nil:
		return ""
	case w.Position > 0 && w.InLine > 0:
		return fmt.Sprintf(": %d of %d in line", w.Position, w.InLine)
	case w.Position > 0:
		return fmt.Sprintf(": number %d in line", w.Position)
	case a.NotLive != "":
		return "; its place in line is not known here"
	case a.Holds != nil:
		return ""
	}
	return ", but is not in line: it cannot be admitted with the current configuration"
}

// Because returns the reason for a state, in the words of the conditions; empty if there is none.
func Because(a v1.Application) string {
	switch {
	case a.State == v1.Absent:
		return a.StageMessage
	case a.Reason == "":
		return ""
	}
	return a.Reason + ": " + a.Message
}

// page is a text in paragraphs. Long lines are left for the terminal to wrap.
type page struct {
	text strings.Builder
	gap  bool
}

func (p *page) line(format string, args ...any) {
	if p.gap && p.text.Len() > 0 {
		p.text.WriteString("\n")
	}
	p.gap = false
	fmt.Fprintf(&p.text, format+"\n", args...)
}

// paragraph starts a new paragraph with the next line.
func (p *page) paragraph() { p.gap = true }

// end adds the reason why the view is not live, if there is one, and writes the page.
func (p *page) end(out io.Writer, notLive string) error {
	if notLive != "" {
		p.paragraph()
		p.line("This is what the status says. There is no live view: %s", notLive)
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

// table adds a paragraph with rows of cells in columns. Columns without any text are left out.
func (p *page) table(rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		var kept []string
		for column, cell := range row {
			if slices.ContainsFunc(rows[1:], func(r []string) bool { return r[column] != "" }) {
				kept = append(kept, cell)
			}
		}
		fmt.Fprintln(w, strings.Join(kept, "\t"))
	}
	// A strings.Builder accepts everything.
	_ = w.Flush()
	p.paragraph()
	for line := range strings.Lines(text.String()) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
}

func (p *page) wait(a v1.Application) {
	w := a.Waits
	p.paragraph()
	if w.Since != nil {
		priority := ""
		// Otherwise the priority is not known.
		if a.NotLive == "" || w.Position > 0 {
			priority = fmt.Sprintf(", priority %d", w.Priority)
		}
		p.line("%-10s %s%s, run %d attempt %d", "Since", w.Since.UTC().Format(time.RFC3339), priority, w.Run, w.Attempt)
	}
	for i, set := range w.PodSets {
		p.line("%-10s %s", first(i, "Requests"), PodSetText(set))
	}
	for i, h := range w.Ahead {
		p.line("%-10s %s", first(i, "Behind"), HeadText(h))
	}
	for i, h := range w.ReservedFor {
		p.line("%-10s %s", first(i, "Reserved"), HeadText(h))
	}
	if len(w.Needs) > 0 {
		rows := [][]string{{"RESOURCE", "FLAVOR", "REQUIRED", "AVAILABLE", "MISSING", "MAX", "BLOCKED BY"}}
		for _, n := range w.Needs {
			rows = append(rows, []string{n.Resource, n.Flavor, amounts.Text(n.Required), OrNoLimit(n.Available), orNothing(n.Missing), OrNoLimit(n.Max), Obstacles(n.BlockedBy)})
		}
		p.table(rows)
	}
	if len(w.Remedies) > 0 {
		p.paragraph()
		p.line("What would let it start:")
		for _, u := range w.Remedies {
			p.line("  - %s", u)
		}
	}
}

func (p *page) hold(h *v1.Hold) {
	p.paragraph()
	for i, set := range h.PodSets {
		p.line("%-10s %s", first(i, "Holds"), PodSetText(set))
	}
	p.line("%-10s run %d attempt %d, priority %d", "For", h.Run, h.Attempt, h.Priority)
	if h.Eviction != nil {
		p.line("%-10s %s: %s", "Evicted", h.Eviction.Reason, h.Eviction.Message)
	}
	for i, g := range h.Reclaims {
		p.line("%-10s %d of its executors must end: %s", first(i, "Reclaimed"), g.Count, g.Message)
	}
	switch {
	case h.SchedulingGated > 0 && h.SchedulingGatedMessage != "":
		p.line("%-10s quota for %d more executors: %s", "Waits for", h.SchedulingGated, h.SchedulingGatedMessage)
	case h.SchedulingGated > 0:
		p.line("%-10s quota for %d more executors", "Waits for", h.SchedulingGated)
	}
	if h.Terminating {
		p.line("%-10s its pods have ended or are being stopped", "Ending")
	}
}

// first returns the text for the first of several lines; "" for the others.
func first(i int, text string) string {
	if i > 0 {
		return ""
	}
	return text
}

// PodSetText describes a set of pods: their number, their role, what each requests, and the flavor.
func PodSetText(s v1.PodSet) string {
	var each []string
	for _, name := range slices.Sorted(maps.Keys(s.Requests)) {
		if q := s.Requests[name]; name != "pods" {
			each = append(each, name+" "+amounts.Text(q))
		}
	}
	more := ""
	if s.Elastic {
		more = "more "
	}
	text := fmt.Sprintf("%d %s%s", s.Count, more, s.Name)
	if s.Count != 1 {
		text += "s"
	}
	if s.MinCount > 0 {
		text = fmt.Sprintf("%d to %s", s.MinCount, text)
	}
	if len(each) > 0 {
		text += " with " + strings.Join(each, ", ")
	}
	if s.Flavor != "" {
		text += " in flavor " + s.Flavor
	}
	return text
}

// HeadText describes an ask in line: its position, kind, name and priority. One of another namespace has no name.
func HeadText(h v1.Head) string {
	name := h.Kind + " " + h.Namespace + "/" + h.Name
	if h.Name == "" {
		name = "one of another namespace"
	}
	if h.Position > 0 {
		name = fmt.Sprintf("%d  %s", h.Position, name)
	}
	if h.Priority != 0 {
		name += fmt.Sprintf(", priority %d", h.Priority)
	}
	return name
}

// Obstacles describes the limits that block an application.
func Obstacles(all []v1.BlockingLimit) string {
	var texts []string
	for _, o := range all {
		texts = append(texts, fmt.Sprintf("%s uses %s of %s", o.Queue, amounts.Text(o.Used), amounts.Text(o.Limit)))
	}
	return strings.Join(texts, ", ")
}

// OrNoLimit returns a quantity, or "no limit" for nil.
func OrNoLimit(q *resource.Quantity) string {
	if q == nil {
		return "no limit"
	}
	return amounts.Text(*q)
}

func orNothing(q *resource.Quantity) string {
	if q == nil {
		return ""
	}
	return amounts.Text(*q)
}
