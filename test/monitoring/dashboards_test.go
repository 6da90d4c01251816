// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// dashboard is what these tests need of one.
type dashboard struct {
	Title      string
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

func dashboards(t *testing.T) []dashboard {
	t.Helper()
	var all []dashboard
	for _, configMap := range shipped(t, "ConfigMap") {
		for name, text := range configMap.Data {
			if !strings.HasSuffix(name, ".json") {
				continue
			}
			var d dashboard
			if err := json.Unmarshal([]byte(text), &d); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, d)
		}
	}
	return all
}

var (
	// values are what Grafana puts in the place of variables: everything of a queue or namespace, four scrapes of an interval.
	values      = strings.NewReplacer("$queue", ".*", "$namespace", ".*", "$__rate_interval", "2m")
	labelValues = regexp.MustCompile(`^label_values\((.+), \w+\)$`)
)

// TestNoPanelIsEmpty: after the operator has worked on all that the dashboards show, each query of each panel has values, and each variable has choices.
func TestNoPanelIsEmpty(t *testing.T) {
	s := newScene(t, "")
	load := newLoad(s)
	s.start()
	for round := range 2 { // what happens for the first time begins a series; its rate is that of the second time
		load.play(round)
	}
	s.pass(time.Minute)
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				if query := values.Replace(target.Expr); s.samples(query) == 0 {
					t.Errorf("%s: panel %q is empty: %s", d.Title, p.Title, query)
				}
			}
		}
		for _, v := range d.Templating.List {
			if v.Type != "query" {
				continue
			}
			if m := labelValues.FindStringSubmatch(v.Query); m == nil || s.samples(m[1]) == 0 {
				t.Errorf("%s: variable %s has no values: %s", d.Title, v.Name, v.Query)
			}
		}
	}
}

// load is a tree of queues and what happens in it.
type load struct {
	*scene
	borrower, lender, elastic *v1alpha1.SparkQueue
	// refused counts down the writes that are still to be refused.
	refused atomic.Int64
}

func newLoad(s *scene) *load {
	l := &load{scene: s}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	s.t.Cleanup(receiver.Close)
	s.options.EventsAddr = receiver.URL
	l.borrower = harness.Queue(s.t, s.Namespace+"-borrower", s.Queue.Name, "3Gi")
	l.lender = harness.Queue(s.t, s.Namespace+"-lender", s.Queue.Name, "3Gi")
	l.elastic = harness.Queue(s.t, s.Namespace+"-elastic", "", harness.MemoryFor(4))
	return l
}

func in(queue *v1alpha1.SparkQueue) func(*v1alpha1.SparkApplication) {
	return func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = queue.Name }
}

func (l *load) play(round int) {
	l.schedules(round)
	l.preemption(round)
	l.growth(round)
	l.brokenWrites(round)
	harness.MeasuredSoon(l.t, 0, "sparkgate_applications", "namespace="+l.Namespace, "stage=Running")
	l.tick(step)
}

// schedules lets a run begin that hinders the next one.
func (l *load) schedules(round int) {
	daily := l.schedule(fmt.Sprintf("daily-%d", round), "@every 24h", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	l.look(daily)
	l.look(daily)
	l.tick(step)
}

// preemption lets two applications fill both queues, until the one that lent its quota needs it.
func (l *load) preemption(round int) {
	name := func(s string) string { return fmt.Sprintf("%s-%d", s, round) }
	apps := []*v1alpha1.SparkApplication{l.Apply(name("first"), in(l.borrower)), l.Apply(name("second"), in(l.borrower))}
	drivers := []*corev1.Pod{l.Run(apps[0]), l.Run(apps[1])}
	l.tick(step)
	lender := l.Apply(name("lender"), in(l.lender))
	lent := l.Run(lender)
	preempted := -1
	env.Until(l.t, "one is preempted", func() bool {
		preempted = slices.IndexFunc(apps, func(app *v1alpha1.SparkApplication) bool {
			return env.Client().Get(l.t.Context(), client.ObjectKeyFromObject(app), app) == nil && harness.Stage(app) == v1alpha1.PreemptedReason
		})
		return preempted >= 0
	})
	harness.MeasuredSoon(l.t, 1, "sparkgate_queue_pending", "queue="+l.borrower.Name)
	l.tick(step)
	l.Kubelet.Finish(l.t.Context(), drivers[1-preempted], 3, "Error")
	l.Reach(apps[1-preempted], v1alpha1.FailedReason)
	l.Succeed(apps[preempted])
	l.Kubelet.Finish(l.t.Context(), lent, 0, "Completed")
	l.Reach(lender, v1alpha1.SucceededReason)
	l.tick(step)
}

// growth lets an application have more executors than its base gang, and want more than its queue has quota for.
func (l *load) growth(round int) {
	app := l.Apply(fmt.Sprintf("elastic-%d", round), harness.Elastic, in(l.elastic))
	driver := l.Run(app)
	l.Kubelet.Gated(l.t.Context(), driver, 1, 2, 3, 4, 5)
	harness.MeasuredSoon(l.t, 2, "sparkgate_queue_elastic_executors", "queue="+l.elastic.Name, "state=granted")
	l.tick(step)
	l.Kubelet.Finish(l.t.Context(), driver, 0, "Completed")
	l.Reach(app, v1alpha1.SucceededReason)
}

// brokenWrites refuses one write.
func (l *load) brokenWrites(round int) {
	l.refused.Store(1)
	l.way.refuses(func(r *http.Request) bool {
		return isWrite(r) && strings.Contains(r.URL.Path, "/sparkapplications/") && l.refused.Add(-1) == 0
	})
	l.Succeed(l.Apply(fmt.Sprintf("refused-%d", round), in(l.borrower)))
	l.way.answers()
	l.tick(step)
}
