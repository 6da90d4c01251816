// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const (
	schedulesShown = 50
	// comingTimes is how many of the next times of each schedule are shown.
	comingTimes = 3
)

// schedulesPage is the list of schedules.
type schedulesPage struct {
	Base, Namespace, Text string
	Rows                  []scheduleRow
	// Run is the action of the rows that have a path for it.
	Run action
	// Done says what the viewer has just requested.
	Done  string
	Pager pager
	Now   time.Time
}

// scheduleRow is a schedule with its times.
type scheduleRow struct {
	Namespace, Name, Times, Zone string
	Suspended                    bool
	// Problem is what keeps the schedule from running, or another problem in its status.
	Problem string
	Overlap string
	// RunPath is where a run is requested; empty if the viewer may not.
	RunPath string
	Coming  []coming
	// Last is the latest time for which a run was created; zero if there was none.
	Last        time.Time
	Active      []string
	ActiveCount int32
	Succeeded   string
	Failed      string
	Missed      int64
	// Past is what has become of a request to run past times; empty if there is none, or if all were created.
	Past     string
	next     time.Time
	Line     charts.Timeline
	schedule *v1alpha1.ScheduledSparkApplication
}

// coming is a time at which a schedule is due.
type coming struct {
	At    time.Time
	Local string
}

// buildSchedules is the builder for the list of schedules, sorted by the next time.
func buildSchedules(v *Visit) (view, error) {
	out := view{title: "Schedules", section: sectionSchedules, template: "schedules"}
	query := v.request.URL.Query()
	p := schedulesPage{Base: v.site.Base, Namespace: say(query.Get("namespace")), Text: say(query.Get("q")), Run: ActionRun, Now: v.Clock.Now()}
	if query.Get("done") == ActionRun.Name {
		p.Done = ActionRun.Done
		query.Del("done")
	}
	t, err := watch[viewer.Schedule](v, viewer.ListOf(client.Schedules, client.Selection{Namespace: p.Namespace}))
	if err != nil {
		return v.choose(out, "schedules", err)
	}
	for _, s := range t.All() {
		if text := strings.ToLower(p.Text); strings.Contains(s.Name, text) || strings.Contains(s.Namespace, text) {
			p.Rows = append(p.Rows, rowOf(&s.ScheduledSparkApplication, p.Now))
		}
	}
	slices.SortFunc(p.Rows, compareNext)
	p.Pager = pageOf(v.request, len(p.Rows), schedulesShown)
	p.Rows = p.Rows[p.Pager.from:p.Pager.to]
	for i := range p.Rows {
		p.Rows[i].Line = charts.TimelineOf(p.Rows[i].schedule, p.Now)
	}
	p.offer(v, query)
	out.data = p
	return out, nil
}

// offer sets RunPath in the rows of the schedules that the viewer may run. The query leads back to the list as it is. A
// viewer who may run schedules in all namespaces costs one review, any other one review for each namespace. Without an
// answer, nothing is offered; nor is it for a schedule with a mistake, which runs nothing.
func (p *schedulesPage) offer(v *Visit, query url.Values) {
	everywhere, err := v.MayPatch(v.ctx, client.Schedules, metav1.NamespaceAll, "")
	for i := 0; i < len(p.Rows) && err == nil; i++ {
		row, may := &p.Rows[i], everywhere
		if !everywhere {
			may, err = v.MayPatch(v.ctx, client.Schedules, row.Namespace, "")
		}
		if may && (row.Suspended || charts.Runs(row.schedule)) {
			row.RunPath = PathOf(p.Base, "schedules", row.Namespace, row.Name, ActionRun.Name) + "?" + query.Encode()
		}
	}
}

// compareNext sorts schedules by their next time.
func compareNext(a, b scheduleRow) int {
	return cmp.Or(laterIfNone(a.next).Compare(laterIfNone(b.next)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// laterIfNone sorts schedules that are never due last.
func laterIfNone(at time.Time) time.Time {
	if at.IsZero() {
		return time.Unix(1<<40, 0)
	}
	return at
}

// rowOf returns the row of a schedule at the time now.
func rowOf(s *v1alpha1.ScheduledSparkApplication, now time.Time) scheduleRow {
	row := scheduleRow{
		Namespace: s.Namespace, Name: s.Name, Times: s.Spec.Schedule, Zone: printer.Zone(&s.Spec), Suspended: s.Spec.Suspend,
		Overlap: printer.Overlap(&s.Spec), Active: s.Status.Active, ActiveCount: s.Status.ActiveCount, schedule: s,
	}
	if ready := meta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready != nil && ready.Status == "False" && !s.Spec.Suspend {
		row.Problem = ready.Reason + ": " + ready.Message
	}
	if at, err := time.Parse(time.RFC3339, s.Status.LastRunTime); err == nil {
		row.Last = at
	}
	if r := s.Status.LastSuccessfulRun; r != nil {
		row.Succeeded = r.Name
	}
	if r := s.Status.LastFailedRun; r != nil {
		row.Failed = r.Name
	}
	for _, m := range s.Status.Missed {
		row.Missed += m.Count
	}
	if r := s.Status.RunFor; r != nil && r.Result != v1alpha1.RunForCreated {
		row.Past = printer.PastTimes(r)
	}
	row.comes(s, now)
	return row
}

// clockSkew is how much the clocks of the operator and of this process may differ.
const clockSkew = time.Minute

// comes fills in the next times at which runs are created.
func (row *scheduleRow) comes(s *v1alpha1.ScheduledSparkApplication, now time.Time) {
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		row.Problem = cmp.Or(row.Problem, "spec."+err.Error())
		return
	}
	from := charts.FollowedUntil(s, now)
	if from.After(now.Add(clockSkew)) {
		row.Problem = cmp.Or(row.Problem, printer.Silent(from, now))
	}
	for at := from; len(row.Coming) < comingTimes && charts.Runs(s); {
		if at = times.Next(at); at.IsZero() {
			break
		}
		row.Coming = append(row.Coming, coming{at, times.Describe(at).At.Format("Mon 2006-01-02 15:04 -07:00")})
	}
	if len(row.Coming) > 0 {
		row.next = row.Coming[0].At
	}
}
