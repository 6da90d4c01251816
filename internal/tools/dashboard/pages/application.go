// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const (
	// eventsShown and podsShown are the maximum numbers of events and pods that are listed.
	eventsShown = 50
	podsShown   = 50
)

// applicationPage is the page of one application.
type applicationPage struct {
	Base, Namespace, Name string
	Summary               status.Summary
	Created               time.Time
	Suspended             bool
	// Elsewhere reports that its queue is not a SparkQueue.
	Elsewhere bool
	Stages    charts.Stages
	Facts     []fact
	Explained v1.Application
	// Headline and Because describe its state in its queue; empty if it neither waits nor holds quota.
	Headline, Because string
	Conditions        []metav1.Condition
	Attempts          []attempt
	Pods              []podRow
	MorePods          int
	// PodsUnknown and EventsUnknown are why pods or events are not listed.
	PodsUnknown, EventsUnknown string
	Problem                    string
	Events                     []printer.Event
	Actions                    []action
	// Refused is why there are no actions; Done is the message about an action that was carried out.
	Refused, Done string
	Log           bool
	// Executors is the number of running executors over time.
	Executors charts.Chart
	Advice    adviceCard
	Now       time.Time
}

// fact is a name and a value about an application.
type fact struct{ Name, Value, Link string }

// attempt is an attempt that has ended.
type attempt struct {
	v1alpha1.AttemptStatus
	Text, Tone string
	Ran        time.Duration
}

// podRow is a pod of the current attempt.
type podRow struct {
	Name, Role, Phase, Node, About string
	Created                        time.Time
	uid                            types.UID
}

// applicationOf returns the application of the page.
func applicationOf(v *Visit) (*v1alpha1.SparkApplication, error) {
	namespace, name := v.request.PathValue("namespace"), v.request.PathValue("name")
	t, err := watch[v1alpha1.SparkApplication](v, viewer.ListOf(client.Applications, client.Selection{Namespace: namespace, Fields: "metadata.name=" + name}))
	if err != nil {
		return nil, err
	}
	all := t.All()
	if len(all) == 0 {
		return nil, &notFound{fmt.Sprintf("sparkapplication %s not found in namespace %s: it does not exist, or was deleted", name, namespace)}
	}
	return all[0], nil
}

// buildApplication is the builder for the page of one application.
func buildApplication(v *Visit) (view, error) {
	out := view{title: v.request.PathValue("name"), section: sectionApplications, template: "application"}
	app, err := applicationOf(v)
	if err != nil {
		return out, err
	}
	now := v.Clock.Now()
	p := applicationPage{
		Base: v.site.Base, Namespace: app.Namespace, Name: app.Name, Summary: status.Summarize(app, now), Created: app.CreationTimestamp.Time,
		Suspended: app.Spec.Suspend, Elsewhere: !printer.UsesSparkQueue(app), Stages: charts.StagesOf(app, now), Facts: factsOf(app), Now: now,
		Conditions: app.Status.Conditions, Attempts: attemptsOf(app), Done: ApplicationActions[v.request.URL.Query().Get("done")].Done,
	}
	if e := app.Status.Executors; e != nil {
		p.Problem = e.Problem
	}
	p.explain(v, app)
	p.pods(v, app)
	p.events(v, app)
	p.offer(v, app)
	p.advise(v, app)
	out.data = p
	return out, nil
}

// factsOf returns facts about an application that are shown nowhere else.
func factsOf(app *v1alpha1.SparkApplication) []fact {
	s := &app.Status
	var facts []fact
	add := func(name, value, link string) {
		if value != "" {
			facts = append(facts, fact{name, value, link})
		}
	}
	if s.Run > 0 {
		add("Run", fmt.Sprintf("%d, attempt %d", s.Run, s.Attempt), "")
	}
	if d := s.Driver; d != nil {
		add("Driver", d.PodName, "")
		add("Spark ID", d.ApplicationID, "")
		if link := webAddress(d.UIAddress); link != "" || d.UIAddress == "" {
			add("Spark UI", d.UIAddress, link)
		} else {
			add("Spark UI", fmt.Sprintf("sparkctl ui %s -n %s", app.Name, app.Namespace), "")
		}
		add("History", d.HistoryAddress, webAddress(d.HistoryAddress))
	}
	if g := s.Grant; g != nil {
		for _, set := range printer.HolderOf(app).Hold.PodSets {
			add("Holds", printer.PodSetText(set), "")
		}
	}
	var pairs []string
	for key, value := range app.Labels {
		pairs = append(pairs, key+"="+value)
	}
	slices.Sort(pairs)
	add("Labels", strings.Join(pairs, ", "), "")
	add("Arguments", strings.Join(app.Spec.Arguments, " "), "")
	return facts
}

// webAddress returns an address if it is safe for a link; empty if it is not, or if it is that of a Service, which leads
// nowhere in a browser.
func webAddress(text string) string {
	if !strings.Contains(text, "://") {
		return ""
	}
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" ||
		strings.Contains(at.Hostname()+".", ".svc.") {
		return ""
	}
	return at.String()
}

// attemptsOf returns the attempts that have ended, the last one first.
func attemptsOf(app *v1alpha1.SparkApplication) []attempt {
	var all []attempt
	for i := range app.Status.Attempts {
		a := attempt{AttemptStatus: app.Status.Attempts[i], Tone: "idle"}
		a.Text = status.AttemptText(&a.AttemptStatus)
		switch a.Outcome {
		case v1alpha1.OutcomeSucceeded:
			a.Tone = "good"
		case v1alpha1.OutcomeFailed:
			a.Tone = "bad"
		}
		if a.StartedAt != nil && a.FinishedAt != nil {
			a.Ran = a.FinishedAt.Sub(a.StartedAt.Time)
		}
		all = append(all, a)
	}
	slices.Reverse(all)
	return all
}

// explain fills in why the application waits, or what it holds: from the operator's answer, or from the status if there
// is none.
func (p *applicationPage) explain(v *Visit, app *v1alpha1.SparkApplication) {
	stage, _ := status.StageOf(app.Status.Conditions)
	if !stage.Waiting() && !stage.Active() {
		return
	}
	explained, err := v.ExplainApplication(v.ctx, app.Namespace, app.Name)
	if err != nil || explained.UID != string(app.UID) || explained.Stage != string(stage) {
		explained = printer.FromStatus(app, nil)
		if err != nil {
			explained.NotLive = err.Error()
		}
	}
	p.Explained, p.Headline, p.Because = explained, printer.Headline(explained), printer.Because(explained)
}

// pods fills in the pods of the current attempt, and finds the driver whose log is shown.
func (p *applicationPage) pods(v *Visit, app *v1alpha1.SparkApplication) {
	v.driver = nil
	selection := client.Selection{Namespace: app.Namespace, Labels: v1alpha1.ApplicationUIDLabel + "=" + string(app.UID)}
	t, err := watch[viewer.Pod](v, viewer.ListOf(client.Pods, selection))
	if err != nil {
		p.PodsUnknown = err.Error()
		return
	}
	rows := t.All()
	slices.SortFunc(rows, func(a, b *viewer.Pod) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(len(a.Executor), len(b.Executor)), cmp.Compare(a.Executor, b.Executor), cmp.Compare(a.Name, b.Name))
	})
	p.executors(v, app, rows)
	var newest *viewer.Pod
	for _, row := range rows {
		if row.Driver != nil && row.HasLog && (newest == nil || row.Created.After(newest.Created)) {
			newest = row
		}
		if row.Run != app.Status.Run || row.Attempt != app.Status.Attempt {
			continue
		}
		role := row.Role
		if row.Executor != "" {
			role += " " + row.Executor
		}
		p.Pods = append(p.Pods, podRow{row.Name, role, row.Phase, row.Node, row.About, row.Created, row.UID})
	}
	if newest != nil {
		v.driver, p.Log = newest.Driver, true
	}
	if more := len(p.Pods) - podsShown; more > 0 {
		p.Pods, p.MorePods = p.Pods[:podsShown], more
	}
}

// events fills in the events of the application and its pods, the newest first.
func (p *applicationPage) events(v *Visit, app *v1alpha1.SparkApplication) {
	t, err := watch[viewer.Event](v, viewer.ListOf(client.Events, client.Selection{Namespace: app.Namespace}))
	if err != nil {
		p.EventsUnknown = err.Error()
		return
	}
	about := map[types.UID]bool{app.UID: true}
	if d := app.Status.Driver; d != nil && d.UID != "" {
		about[d.UID] = true
	}
	for _, row := range p.Pods {
		about[row.uid] = true
	}
	var mine []*viewer.Event
	for _, e := range t.All() {
		if about[e.About] {
			mine = append(mine, e)
		}
	}
	slices.SortFunc(mine, func(a, b *viewer.Event) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.UID, b.UID)) })
	for _, e := range mine[:min(len(mine), eventsShown)] {
		row := e.Row
		row.Age = p.Now.Sub(e.At)
		p.Events = append(p.Events, row)
	}
}

// offer fills in the actions that the viewer is allowed to carry out.
func (p *applicationPage) offer(v *Visit, app *v1alpha1.SparkApplication) {
	may, err := v.MayPatch(v.ctx, client.Applications, app.Namespace, app.Name)
	switch {
	case err != nil:
		p.Refused = err.Error()
	case !may:
		p.Refused = fmt.Sprintf("You may not patch sparkapplications in namespace %s: suspend, resume and run again need that right.", app.Namespace)
	case app.Spec.Suspend:
		p.Actions = []action{ActionResume.until(app), actionRerun}
	case p.Summary.Stage != status.Unobserved && !status.Stage(p.Summary.Stage).Ended():
		p.Actions = []action{ActionSuspend.until(app), actionRerun}
	default:
		p.Actions = []action{actionRerun}
	}
}
