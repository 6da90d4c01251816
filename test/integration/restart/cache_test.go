// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestDecidesBeforeTheCacheIsFull: an operator that starts decides by what it has read live while its cache still waits for applications. What
// runs stays charged, what fits starts, what does not fit waits, and what has ended is not read.
func TestDecidesBeforeTheCacheIsFull(t *testing.T) {
	w := harness.NewWorld(t, "6Gi", nil)
	w.History.MemoryLimit = 6 << 30
	operator := start(t)
	ended, running := w.Apply("ended"), w.Apply("running")
	w.Succeed(ended)
	driver := w.Run(running)
	operator.Stop()
	next := w.Apply("next")
	large := w.Apply("large", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](4) }) // 4480Mi, beside 2688Mi

	lists, filling := &listings{}, func(r *http.Request) bool {
		return isOfApplications(r) && r.URL.Query().Get("watch") != ""
	}
	network := harness.NewNetwork(nil)
	network.ResumeBut(filling)
	t.Cleanup(network.Resume)
	harness.StartOperator(t, harness.OperatorOptions{Network: func(rt http.RoundTripper) http.RoundTripper { return lists.wrap(network.Wrap(rt)) }})
	w.Driver(next)
	w.Reach(large, "Queued")
	if diff := gocmp.Diff([]string{"status.times.finished="}, lists.selectors()); diff != "" {
		t.Errorf("selectors of the lists of applications (-want +got):\n%s", diff)
	}

	network.Resume()
	w.Succeed(next)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(running, "Succeeded")
	w.Succeed(large)
	for _, app := range []*v1alpha1.SparkApplication{ended, running, next, large} {
		if diff := gocmp.Diff(map[string]int{"1/1": 1}, w.Kubelet.Created(app.UID)); diff != "" {
			t.Errorf("drivers of %s by attempt (-want +got):\n%s", app.Name, diff)
		}
	}
	w.Unused()
}

func isOfApplications(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/sparkapplications")
}

// listings are the lists of applications that were asked for.
type listings struct {
	mu  sync.Mutex
	all []string
}

func (l *listings) wrap(next http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		if query := r.URL.Query(); isOfApplications(r) && query.Get("watch") == "" {
			l.mu.Lock()
			l.all = append(l.all, query.Get("fieldSelector"))
			l.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

// selectors returns the field selectors of the lists so far.
func (l *listings) selectors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.all...)
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
