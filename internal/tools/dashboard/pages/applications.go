// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// applicationsShown is how many applications are listed on a page.
const applicationsShown = 50

// maxOffered is how many names of queues and namespaces a filter suggests.
const maxOffered = 100

// filter selects the applications that are listed.
type filter struct {
	Namespace, Queue, Stage, Labels, Text string
	selector                              labels.Selector
	// Problem is what is wrong with the selector.
	Problem string
}

// filterOf returns the filter in a query.
func filterOf(query url.Values) filter {
	f := filter{
		Namespace: say(query.Get("namespace")), Queue: say(query.Get("queue")), Stage: say(query.Get("stage")),
		Labels: say(query.Get("labels")), Text: say(query.Get("q")),
	}
	var err error
	if f.selector, err = labels.Parse(f.Labels); err != nil {
		f.Problem = fmt.Sprintf("%q is not a label selector: write one such as team=a,tier!=test", f.Labels)
		f.selector = labels.Nothing()
	}
	return f
}

// wants reports whether the filter selects an application, regardless of its stage.
func (f *filter) wants(a *viewer.Application, s *status.Summary) bool {
	if f.Queue != "" && s.Queue != f.Queue || !f.selector.Matches(labels.Set(a.App.Labels)) {
		return false
	}
	if f.Text == "" {
		return true
	}
	text := strings.ToLower(f.Text)
	return strings.Contains(s.Name, text) || strings.Contains(s.Namespace, text) || strings.Contains(strings.ToLower(s.Message), text)
}

// anyOf reports whether the filter selects a stage, by its name or by its group.
func (f *filter) anyOf(stage string) bool {
	switch s := status.Stage(stage); f.Stage {
	case "":
		return true
	case groupWaiting:
		return s.Waiting()
	case groupRunning:
		return s.Active()
	case groupFailed:
		return s.Failed() || s.Blocked()
	}
	return stage == f.Stage
}

// Groups of stages that a filter can select.
const (
	groupWaiting = "waiting"
	groupRunning = "running"
	groupFailed  = "failed"
)

// applicationsPage is the list of applications.
type applicationsPage struct {
	Base   string
	Filter filter
	Rows   []applicationRow
	Pager  pager
	// Counts are the numbers of applications by stage, among those that the rest of the filter selects.
	Counts             []stageCount
	Queues, Namespaces []string
	Stages             []string
	Now                time.Time
}

// applicationRow is an application in the list.
type applicationRow struct {
	status.Summary
	Created time.Time
	// Elsewhere reports that its queue is not a SparkQueue.
	Elsewhere bool
	ended     bool
}

// stageCount is the number of applications in a stage.
type stageCount struct {
	Stage string
	Count int
	Path  string
}

// buildApplications is the builder for the list of applications.
func buildApplications(v *Visit) (view, error) {
	out := view{title: "Applications", section: sectionApplications, template: "applications"}
	query := v.request.URL.Query()
	p := applicationsPage{Base: v.site.Base, Filter: filterOf(query), Now: v.Clock.Now(), Stages: append([]string{groupWaiting, groupRunning, groupFailed}, status.StageNames()...)}
	t, err := watchSome[viewer.Application](v, viewer.ListOf(client.Applications, client.Selection{Namespace: p.Filter.Namespace}))
	if err != nil {
		return v.choose(out, "applications", err)
	}
	p.take(t.All(), query)
	p.Pager = pageOf(v.request, len(p.Rows), applicationsShown)
	p.Rows = p.Rows[p.Pager.from:p.Pager.to]
	out.data = p
	return out, nil
}

// take filters, counts and sorts the applications.
func (p *applicationsPage) take(all []*viewer.Application, query url.Values) {
	counts, queues, namespaces := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, a := range all {
		s := a.Summary(p.Now)
		queues[s.Queue], namespaces[s.Namespace] = true, true
		if !p.Filter.wants(a, &s) {
			continue
		}
		counts[s.Stage]++
		if p.Filter.anyOf(s.Stage) {
			p.Rows = append(p.Rows, applicationRow{s, a.App.CreationTimestamp.Time, a.Elsewhere, status.Stage(s.Stage).Ended()})
		}
	}
	slices.SortFunc(p.Rows, compareRows)
	for stage, count := range counts {
		p.Counts = append(p.Counts, stageCount{stage, count, linkTo(query, stage)})
	}
	slices.SortFunc(p.Counts, func(a, b stageCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Stage, b.Stage))
	})
	p.Queues, p.Namespaces = offered(queues), offered(namespaces)
}

// compareRows sorts applications that have not ended first, then the newest.
func compareRows(a, b applicationRow) int {
	switch {
	case a.ended != b.ended && a.ended:
		return 1
	case a.ended != b.ended:
		return -1
	}
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// linkTo returns the query with another stage.
func linkTo(query url.Values, stage string) string {
	out := url.Values{}
	for key, values := range query {
		if key != "page" && key != "stage" && len(values) > 0 && values[0] != "" {
			out.Set(key, values[0])
		}
	}
	out.Set("stage", stage)
	return "?" + out.Encode()
}

// offered returns the sorted names for a filter, without the empty one.
func offered(names map[string]bool) []string {
	delete(names, "")
	out := make([]string, 0, len(names))
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out[:min(len(out), maxOffered)]
}

// choosePage says what the viewer may not list, and asks for a namespace.
type choosePage struct {
	Base, Refusal, Path string
}

// namespaceCookie has the namespace that the viewer has chosen last.
const namespaceCookie = "sparkgate-namespace"

// choose returns the page for a viewer who may not list what a page shows: the page path of the namespace that was
// chosen last, or a form that asks for one.
func (v *Visit) choose(out view, path string, err error) (view, error) {
	if !client.IsForbidden(err) {
		return out, err
	}
	if last := v.lastNamespace(); last != "" && !v.request.URL.Query().Has("namespace") {
		out.redirect = PathOf(v.site.Base, path) + "?namespace=" + last
	}
	out.template, out.data, out.status = "choose", choosePage{v.site.Base, err.Error(), path}, StatusOf(err)
	return out, nil
}

// lastNamespace returns the namespace that the viewer has chosen last; empty if none is known.
func (v *Visit) lastNamespace() string {
	last, err := v.request.Cookie(namespaceCookie)
	if err != nil || len(validation.IsDNS1123Label(last.Value)) > 0 {
		return ""
	}
	return last.Value
}

// remember keeps the namespace that the viewer has chosen for pages on which none is chosen.
func (v *Visit) remember(w http.ResponseWriter, now view) {
	if chosen := v.request.URL.Query().Get("namespace"); now.status == 0 && len(validation.IsDNS1123Label(chosen)) == 0 {
		http.SetCookie(w, &http.Cookie{
			Name: namespaceCookie, Value: chosen, Path: v.site.Base + "/", MaxAge: 1 << 25, Secure: !v.site.Local, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
	}
}
