// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// moments of the first life of an application, as the write that is about to be sent.
var moments = map[string]func(r *http.Request) bool{
	"before the ledger":     func(r *http.Request) bool { return isPatch(r, "/sparkqueues/", `"entries":"{`) },
	"before the finalizer":  func(r *http.Request) bool { return isPatch(r, "/sparkapplications/pi", `"finalizers"`) },
	"before the grant":      func(r *http.Request) bool { return isPatch(r, "/sparkapplications/pi/status", `"grant"`) },
	"before the config map": func(r *http.Request) bool { return isPost(r, "/configmaps") },
	"before the service":    func(r *http.Request) bool { return isPost(r, "/services") },
	"before the driver":     func(r *http.Request) bool { return isPost(r, "/pods") },
	"before Running":        func(r *http.Request) bool { return isPatch(r, "/sparkapplications/pi/status", `"driverStarted"`) },
}

func isPost(r *http.Request, suffix string) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, suffix)
}

func isPatch(r *http.Request, path, content string) bool {
	if r.Method != http.MethodPatch || !strings.Contains(r.URL.Path, path) {
		return false
	}
	body, err := r.GetBody()
	if err != nil {
		return false
	}
	raw, err := io.ReadAll(body)
	return err == nil && bytes.Contains(raw, []byte(content))
}

// pausedAt starts an operator that stands still at the first such write.
func pausedAt(t *testing.T, moment func(*http.Request) bool) (*harness.Operator, *harness.Network) {
	t.Helper()
	var once atomic.Bool
	network := harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
		if moment(r) && once.CompareAndSwap(false, true) {
			return harness.Hang
		}
		return harness.None
	})
	t.Cleanup(network.Resume)
	return harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap}), network
}

// standsStill waits until the operator behind the network is paused.
func standsStill(t *testing.T, network *harness.Network) {
	t.Helper()
	for !network.Paused() {
		select {
		case <-t.Context().Done():
			t.Fatal("the operator was never paused")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// endsFenced waits until an operator ends because another one has taken over.
func endsFenced(t *testing.T, operator *harness.Operator) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := operator.Ended(ctx); err == nil || !strings.Contains(err.Error(), "another operator has taken over the ledger") {
		t.Errorf("the replaced operator ended with %v", err)
	}
}

// TestTakenOverWhilePaused: an operator stands still (SIGSTOP, a stolen processor) at the worst moments, another one takes over and
// continues; then the first one wakes up and does not know. Nothing is let in twice, each attempt has one driver, and the first one ends.
func TestTakenOverWhilePaused(t *testing.T) {
	for name, moment := range moments {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			w.History.MemoryLimit = 3 << 30
			first, network := pausedAt(t, moment)
			app := w.Apply("pi")
			if name == "before Running" {
				w.Kubelet.Start(t.Context(), w.Driver(app))
			}
			standsStill(t, network)
			start(t)
			w.Succeed(app)
			next := w.Apply("next")
			driver := w.Run(next)
			third := w.Apply("third")
			w.Reach(third, "Queued")

			network.Resume()
			endsFenced(t, first)
			w.Reach(third, "Queued")
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(next, "Succeeded")
			w.Succeed(third)
			for _, a := range []*v1alpha1.SparkApplication{app, next, third} {
				if diff := gocmp.Diff(map[string]int{"1/1": 1}, w.Kubelet.Created(a.UID)); diff != "" {
					t.Errorf("drivers of %s by attempt (-want +got):\n%s", a.Name, diff)
				}
			}
			w.Unused()
		})
	}
}

// TestWakesUpWithOldPods: the operator that wakes up reads of applications first, and of their pods much later. It must not take a pod
// that it has not heard of for one that is gone.
func TestWakesUpWithOldPods(t *testing.T) {
	podWatch := func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/pods") && r.URL.Query().Get("watch") != ""
	}
	tests := map[string]struct {
		stage string // of the application that it has not heard of
		live  func(*testing.T, *harness.World, *v1alpha1.SparkApplication)
	}{
		"running": {"Running", func(*testing.T, *harness.World, *v1alpha1.SparkApplication) {}},
		"finalizing": {"Finalizing", func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			w.Kubelet.Finish(t.Context(), w.Driver(app), 0, "Completed")
		}},
		"deleted": {"Running", func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			if err := env.Client().Delete(t.Context(), app); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var hold atomic.Bool
			hold.Store(true)
			w := harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }})
			w.History.MemoryLimit = 3 << 30
			first, network := pausedAt(t, moments["before the config map"])
			app := w.Apply("pi")
			standsStill(t, network)
			start(t)
			w.Succeed(app)
			next := w.Apply("next")
			w.Kubelet.Executors(t.Context(), w.Run(next), 2)
			tc.live(t, w, next)
			harness.Eventually(t, next, tc.stage, harness.InStage(tc.stage))

			network.ResumeBut(podWatch)
			isAwake(t, w, first, network)
			harness.Eventually(t, next, "as it was", harness.InStage(tc.stage))
			third := w.Apply("third")
			w.Reach(third, "Queued")
			endsFenced(t, first)
			hold.Store(false)
			if tc.stage == "Running" && name != "deleted" {
				w.Kubelet.Finish(t.Context(), w.Driver(next), 0, "Completed")
			}
			w.Succeed(third)
			w.Unused()
		})
	}
}

// isAwake returns when the operator behind the network has looked at some applications that are created now, or has found out that it was
// replaced.
func isAwake(t *testing.T, w *harness.World, operator *harness.Operator, network *harness.Network) {
	t.Helper()
	for i := 0; len(network.Touching("/sparkapplications/sign-")) < 5 && !operator.HasEnded(); i++ { // another operator may be faster
		if i == 500 {
			t.Fatal("the operator does not wake up")
		}
		sign := w.Apply(fmt.Sprintf("sign-%d", i), func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.Reach(sign, "Suspended")
	}
}

// TestLateDriver: the request for a driver was on its way when the operator was paused, and arrives when that driver is no longer
// wanted. It is removed.
func TestLateDriver(t *testing.T) {
	tests := map[string]func(*testing.T, *harness.World, *v1alpha1.SparkApplication){
		"the application succeeded": func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			w.Succeed(app)
			if err := env.Client().Delete(t.Context(), w.KeptDriver(app)); err != nil {
				t.Fatal(err)
			}
			harness.Gone(t, w.KeptDriver(app))
		},
		"the application is suspended": func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
			w.Reach(app, "Suspended")
		},
		"the application is gone": func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			if err := env.Client().Delete(t.Context(), app); err != nil {
				t.Fatal(err)
			}
			harness.Gone(t, app)
		},
		"another run waits": func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			driver := w.Driver(app)
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
				a.Spec.RunID, a.Spec.OnTemplateChange = "2", v1alpha1.TemplateChangeRestart
			})
			w.Reach(app, "Queued")
			harness.Gone(t, driver)
		},
	}
	for name, live := range tests {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			w.History.LateDrivers = true
			first, network := pausedAt(t, moments["before the driver"])
			app := w.Apply("pi")
			standsStill(t, network)
			second := start(t)
			live(t, w, app)
			second.Stop() // so that the late driver is seen
			network.Resume()
			first.Stop()
			start(t)
			w.NothingRuns()
		})
	}
}

// TestDefaultGateChanges: another --default-gate does not touch what runs; what waits moves to it, and the next run asks it.
func TestDefaultGateChanges(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	first := start(t)
	running := w.Apply("running")
	w.Run(running)
	waiting, named := w.Apply("waiting"), w.Apply("named", func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Gate = v1alpha1.GateEmbedded })
	w.Reach(waiting, v1alpha1.QueuedReason)
	w.Reach(named, v1alpha1.QueuedReason)
	first.Stop()

	harness.StartOperator(t, harness.OperatorOptions{DefaultGate: v1alpha1.GateNone})
	w.Succeed(waiting)
	if waiting.Status.Run != 1 || harness.Stage(named) != v1alpha1.QueuedReason {
		t.Errorf("%s\n%s", harness.Show(waiting), harness.Show(named))
	}
	harness.Eventually(t, running, "running on", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.RunningReason && a.Status.Grant.Gate == v1alpha1.GateEmbedded && a.Status.Attempt == 1
	})
	w.Kubelet.Finish(t.Context(), w.Driver(running), 0, "Completed")
	w.Reach(running, v1alpha1.SucceededReason)
	w.Succeed(named)
	harness.Change(t, running, func(app *v1alpha1.SparkApplication) { app.Spec.RunID = "again" })
	w.Run(running)
	if running.Status.Grant.Gate != v1alpha1.GateNone {
		t.Errorf("the next run: %s", harness.Show(running))
	}
	w.Kubelet.Finish(t.Context(), w.Driver(running), 0, "Completed")
	w.Reach(running, v1alpha1.SucceededReason)
}
