// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/controllers/schedule"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// halfAnHour is what happens in three restarts of the operator within half an hour, in which the test's clock and that of
// Prometheus agree.
type halfAnHour struct {
	*scene
	lender, borrower, own *v1alpha1.SparkQueue
	often                 *v1alpha1.ScheduledSparkApplication
	pods                  int
}

// TestRestartsLoseNothing: over three restarts in half an hour, each after an absence of two minutes in which jobs end,
// are evicted, and have to give way, the increases that all panels show are what the statuses say. It is scraped every 30
// seconds.
func TestRestartsLoseNothing(t *testing.T) {
	for name, newPod := range map[string]bool{"of the container": false, "as another pod": true} {
		t.Run(name, func(t *testing.T) {
			h := &halfAnHour{scene: newScene(t, "")}
			h.borrower, h.lender = harness.Queue(t, h.Namespace+"-borrower", h.Queue.Name, "3Gi"), harness.Queue(t, h.Namespace+"-lender", h.Queue.Name, "3Gi")
			h.own = harness.Queue(t, h.Namespace+"-own", "", "")
			h.asAnotherProcess(newPod)
			h.start()
			h.often = h.schedule("often", "@every 2m", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
			for round := range 3 {
				h.round(round, newPod)
			}
			h.lasts(3 * time.Minute)
			h.compare()
		})
	}
}

// lasts lets the time of both pass.
func (h *halfAnHour) lasts(d time.Duration) {
	for range d / step {
		h.clock.Advance(step)
		h.tick(step)
	}
}

// asAnotherProcess lets counters begin as those of a new process do.
func (h *halfAnHour) asAnotherProcess(newPod bool) {
	for _, v := range slices.Concat(application.Series(), queue.Series(), schedule.Series()) {
		v.Vec.DeletePartialMatch(nil)
	}
	if newPod {
		h.pods++
		h.target = labels.NewBuilder(h.target).Set("pod", fmt.Sprintf("sparkgate-%d", h.pods)).Set("instance", fmt.Sprintf("10.0.0.%d:8080", h.pods)).Labels()
	}
}

// round is nine minutes: jobs run and end, and there is no operator for two of them.
func (h *halfAnHour) round(n int, newPod bool) {
	h.t.Helper()
	apply := func(name string, queue *v1alpha1.SparkQueue) *v1alpha1.SparkApplication {
		return h.Apply(fmt.Sprintf("%s-%d", name, n), in(queue))
	}
	var borrowed []*v1alpha1.SparkApplication
	var drivers []*corev1.Pod
	for _, name := range []string{"good", "bad", "evicted", "preempted"} {
		queue := h.own
		if name == "preempted" || name == "good" {
			queue = h.borrower
		}
		app := apply(name, queue)
		borrowed, drivers = append(borrowed, app), append(drivers, h.Run(app))
	}
	short := apply("short", h.own)
	driver := h.Run(short)
	h.lasts(3 * time.Minute)
	h.Kubelet.Finish(h.t.Context(), driver, 3, "Error")
	h.Reach(short, v1alpha1.FailedReason)
	h.lasts(2 * time.Minute)

	h.operator.Stop()
	h.lasts(time.Minute)
	h.Kubelet.Finish(h.t.Context(), drivers[1], 3, "Error")
	h.Kubelet.Evict(h.t.Context(), drivers[2], "The node was low on resource: memory.")
	lender := apply("lender", h.lender) // one of the two in the other queue has to give way to it
	h.lasts(time.Minute)

	h.asAnotherProcess(newPod)
	h.operator = harness.StartOperator(h.t, h.options)
	h.Reach(borrowed[1], v1alpha1.FailedReason)
	h.Reach(borrowed[2], v1alpha1.FailedReason)
	h.lookNow(h.often)
	lent := h.Run(lender)
	h.lasts(90 * time.Second)
	h.Kubelet.Finish(h.t.Context(), lent, 0, "Completed")
	h.Reach(lender, v1alpha1.SucceededReason)
	for _, i := range []int{0, 3} { // the one that was preempted has a new driver
		h.Succeed(borrowed[i])
	}
	h.lasts(90 * time.Second)
}

// truth returns what each panel has to show, by label values, according to the statuses.
func (h *halfAnHour) truth() map[string]map[string]float64 {
	h.t.Helper()
	ends, failed, wasted, held := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	preempted, scheduled := 0.0, map[string]float64{}
	apps := &v1alpha1.SparkApplicationList{}
	if err := env.Client().List(h.t.Context(), apps, client.InNamespace(h.Namespace)); err != nil {
		h.t.Fatal(err)
	}
	for i := range apps.Items {
		app := &apps.Items[i]
		if app.Status.Times.Finished != nil {
			ends[harness.Stage(app)]++
		} else {
			scheduled["Created/Schedule"]++
		}
		for _, a := range app.Status.Attempts {
			switch {
			case a.Outcome == v1alpha1.OutcomeFailed:
				failed[string(a.Cause)+"/"+a.Reason]++
			case a.Reason == string(v1alpha1.StopPreempted):
				preempted++
			}
		}
		for _, r := range usage.RecordsOf(app, h.clock.Now()) {
			held["granted/"+r.Queue] += r.Granted.CPU / 3600
			if r.Outcome == usage.Failed || r.Outcome == usage.Preempted {
				wasted[string(r.Outcome)+"/"+r.Queue] += r.Granted.CPU / 3600
			}
			held["requested/"+r.Queue] += r.Requested.CPU / 3600
		}
	}
	if err := env.Client().Get(h.t.Context(), client.ObjectKeyFromObject(h.often), h.often); err != nil {
		h.t.Fatal(err)
	}
	for _, m := range h.often.Status.Missed {
		scheduled[m.Reason] = float64(m.Count)
	}
	share := ends["Failed"] / (ends["Failed"] + ends["Succeeded"])
	return map[string]map[string]float64{
		"Ends of runs per hour": ends, "Failed attempts": failed, "Core-hours per hour": held, "Wasted core-hours per hour": wasted,
		"Preemptions per hour":       {h.lender.Name + "/" + h.borrower.Name + "/Preempted": preempted},
		"Runs of schedules per hour": scheduled, "Failed runs": {h.Namespace: share},
	}
}

// compare compares each panel that shows an increase.
func (h *halfAnHour) compare() {
	h.t.Helper()
	truth, values := h.truth(), strings.NewReplacer("$queue", h.Namespace+".*", "$namespace", h.Namespace)
	for _, d := range dashboards(h.t) {
		for _, p := range d.Panels {
			if !slices.ContainsFunc(p.Targets, func(q struct{ Expr string }) bool { return strings.Contains(q.Expr, "increase") }) {
				continue
			}
			want, known := truth[p.Title]
			if !known {
				if p.Title != "Notifications per hour" { // no status has them
					h.t.Errorf("%s: panel %q is not compared", d.Title, p.Title)
				}
				continue
			}
			got := map[string]float64{}
			for _, q := range p.Targets {
				maps.Copy(got, h.vector(values.Replace(q.Expr)))
			}
			for _, key := range slices.Sorted(maps.Keys(want)) {
				h.t.Logf("%s: %s: %.4f, the statuses say %.4f: %+.2f %%", p.Title, key, got[key], want[key], 100*(got[key]/want[key]-1))
				if math.Abs(got[key]-want[key]) > 0.02*want[key] {
					h.t.Errorf("%s: %s is %v, the statuses say %v", p.Title, key, got[key], want[key])
				}
				delete(got, key)
			}
			maps.DeleteFunc(got, func(_ string, v float64) bool { return v == 0 })
			if len(got) > 0 {
				h.t.Errorf("%s: there also is %v", p.Title, got)
			}
		}
	}
}

// vector returns the values of a query now, by the values of their labels.
func (p *prometheus) vector(query string) map[string]float64 {
	p.t.Helper()
	q, err := p.engine.NewInstantQuery(p.t.Context(), p.db, nil, query, p.now)
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	defer q.Close()
	vector, err := q.Exec(p.t.Context()).Vector()
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	found := map[string]float64{}
	for _, sample := range vector {
		var values []string
		sample.Metric.Range(func(l labels.Label) { values = append(values, l.Value) })
		found[strings.Join(values, "/")] = sample.F
	}
	return found
}
