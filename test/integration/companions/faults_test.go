// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// aboutCompanions reports whether a request is about an object that accompanies an application named pi.
func aboutCompanions(r *http.Request) bool {
	path := r.URL.Path
	for _, part := range []string{"/ingresses", "/poddisruptionbudgets", "/httproutes", "/services/pi"} {
		if strings.Contains(path, part) && !strings.HasSuffix(path, "-driver-svc") {
			return true
		}
	}
	return false
}

// TestNothingCanBeMade: every request about companions fails. The run does not notice.
func TestNothingCanBeMade(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	network := harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
		if aboutCompanions(r) {
			return harness.Refuse
		}
		return harness.None
	})
	harness.StartOperator(t, options(network.Wrap))
	app := w.Apply("pi", everything)
	driver := w.Run(app)
	warned(t, app, "CompanionCreateFailed", "Ingress", "broken on purpose")
	address(t, app, inside)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	if made := w.Kubelet.Created(app.UID); len(made) != 1 || app.Status.Attempt != 1 {
		t.Errorf("drivers %v: %s", made, harness.Show(app))
	}
	w.Unused()
}

// heldBack keeps requests about companions back until it is closed.
type heldBack struct {
	next   http.RoundTripper
	until  chan struct{}
	queued *atomic.Int32
}

func (h heldBack) RoundTrip(r *http.Request) (*http.Response, error) {
	if aboutCompanions(r) && r.Method != http.MethodGet {
		h.queued.Add(1)
		select {
		case <-h.until:
		case <-r.Context().Done():
		}
	}
	return h.next.RoundTrip(r)
}

// TestSlowWebhook: a webhook takes its time over everything about companions. The run goes from start to end meanwhile.
func TestSlowWebhook(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	held := heldBack{until: make(chan struct{}), queued: &atomic.Int32{}}
	harness.StartOperator(t, options(func(next http.RoundTripper) http.RoundTripper {
		held.next = next
		return held
	}))
	app := w.Apply("pi", everything)
	w.Succeed(app)
	if held.queued.Load() == 0 {
		t.Error("nothing was held back")
	}
	close(held.until)
	eventually(t, app, "no companion", none)
	w.Unused()
}

// TestEveryWriteBreaksOnce: whatever happens to one write about companions, all is as wanted in the end, and the run does not notice.
func TestEveryWriteBreaksOnce(t *testing.T) {
	for _, fault := range harness.Survivable() {
		t.Run(fault.String(), func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			var mu sync.Mutex
			broken := map[string]bool{}
			network := harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
				mu.Lock()
				defer mu.Unlock()
				if what := r.Method + " " + r.URL.Path; aboutCompanions(r) && !broken[what] {
					broken[what] = true
					return fault
				}
				return harness.None
			})
			harness.StartOperator(t, options(network.Wrap))
			app := w.Apply("pi", everything)
			driver := w.Run(app)
			eventually(t, app, "all companions", complete)
			address(t, app, outside(w))
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
				a.Spec.UI.Ingress.Annotations = nil
				a.Spec.DriverService.Ports[0].Port = 1
			})
			s := eventually(t, app, "the change", func(s set) bool {
				return complete(s) && len(s.ingress.Annotations) == 0 && s.service.Spec.Ports[0].Port == 1
			})
			selects(t, app, s.service.Spec.Selector, driver)
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")
			eventually(t, app, "no companion", none)
			if !network.Broke() {
				t.Error("nothing broke")
			}
		})
	}
}

// TestKilledAndRestarted: what changed while no operator ran is done when one is back: an edit, a removed field, the end of the run. What is
// as wanted stays the same object.
func TestKilledAndRestarted(t *testing.T) {
	tests := map[string]struct {
		change func(*v1alpha1.SparkApplication)
		end    bool
		want   func(set) bool
	}{
		"nothing": {func(*v1alpha1.SparkApplication) {}, false, complete},
		"edited": {func(a *v1alpha1.SparkApplication) { a.Spec.UI.Ingress.Host = "other.{{namespace}}.example.org" }, false, func(s set) bool {
			return complete(s) && strings.HasPrefix(s.ingress.Spec.Rules[0].Host, "other.test-")
		}},
		"all fields removed": {func(a *v1alpha1.SparkApplication) {
			a.Spec.DriverService, a.Spec.UI, a.Spec.PodDisruptionBudget = nil, nil, ""
		}, false, func(s set) bool { return none(s) && s.ui != nil && s.ui.Labels["team"] == "" }},
		"ended": {func(*v1alpha1.SparkApplication) {}, true, none},
		"fields removed and ended": {func(a *v1alpha1.SparkApplication) {
			a.Spec.DriverService, a.Spec.UI, a.Spec.PodDisruptionBudget = nil, nil, ""
		}, true, none},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			first := harness.StartOperator(t, options(nil))
			app := w.Apply("pi", everything)
			driver := w.Run(app)
			before := eventually(t, app, "all companions", complete)
			first.Stop()
			harness.Change(t, app, tc.change)
			if tc.end {
				w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			}
			harness.StartOperator(t, options(nil))
			after := eventually(t, app, "what is wanted", tc.want)
			if after.ingress != nil && after.ingress.UID != before.ingress.UID {
				t.Error("the Ingress was replaced")
			}
			if !tc.end {
				w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			}
			w.Reach(app, "Succeeded")
			eventually(t, app, "no companion", none)
		})
	}
}

// TestCostsNothing: an application that uses none of it causes no request about companions, at no point of its life.
func TestCostsNothing(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	var mu sync.Mutex
	var asked []string
	watch := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if aboutCompanions(r) && strings.Contains(r.URL.Path, "/namespaces/"+w.Namespace+"/") {
				mu.Lock()
				asked = append(asked, r.Method+" "+r.URL.Path)
				mu.Unlock()
			}
			return next.RoundTrip(r)
		})
	}
	harness.StartOperator(t, options(watch))
	app := w.Apply("pi")
	w.Succeed(app)
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, app)
	mu.Lock()
	defer mu.Unlock()
	if len(asked) > 0 {
		t.Errorf("requests: %q", asked)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
