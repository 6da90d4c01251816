// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

var exhaustive = flag.Bool("exhaustive", false, "break every write of every life in every way")

// lives are lives of an application whose every write is broken once. Each ends with the application gone or at its end, holding
// nothing.
var lives = map[string]func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication{
	"an application succeeds": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "pi", queue)
		harness.Create(t, app)
		harness.Eventually(t, app, "succeeded", harness.InStage("Succeeded"))
		return app
	},
	"an application is suspended and resumed": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "suspend", queue)
		harness.Create(t, app)
		harness.Eventually(t, app, "running", harness.InStage("Running"))
		harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		harness.Eventually(t, app, "suspended", harness.InStage("Suspended"))
		harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		harness.Eventually(t, app, "succeeded", harness.InStage("Succeeded"))
		return app
	},
	"an application is deleted while it runs": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "delete", queue)
		harness.Create(t, app)
		harness.Eventually(t, app, "running", harness.InStage("Running"))
		uid := app.UID
		if err := env.Client().Delete(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		harness.Gone(t, app)
		app.UID = uid
		return app
	},
	"an application grows and shrinks": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "grow", queue)
		app.Spec.Executor.Instances = nil
		app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: ptr.To[int32](3)}
		harness.Create(t, app)
		harness.Eventually(t, app, "succeeded", harness.InStage("Succeeded"))
		return app
	},
	"an application runs again with a new template": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "again", queue)
		harness.Create(t, app)
		harness.Eventually(t, app, "succeeded", harness.InStage("Succeeded"))
		harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		harness.Eventually(t, app, "succeeded in run 2", func(a *v1alpha1.SparkApplication) bool {
			return a.Status.Run >= 2 && a.Status.ObservedGeneration == a.Generation && harness.Stage(a) == "Succeeded"
		})
		return app
	},
}

// kubelet runs drivers at once; those of lives that act on a running driver go on until they are stopped, the first one that is to be
// tried again fails, all others succeed.
func kubelet(t *testing.T, namespace string) *harness.Kubelet {
	return harness.StartKubelet(t, &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
		k.Start(ctx, driver)
		name, first := driver.Labels[v1alpha1.ApplicationLabel], driver.Labels[v1alpha1.AttemptLabel] == "1"
		if (name == "suspend" || name == "delete") && first {
			return
		}
		if name == "grow" {
			k.LetIn(ctx, k.Gated(ctx, driver, 1, 2)...)
			k.End(ctx, driver.Name+"-exec-2")
			k.LetIn(ctx, k.Gated(ctx, driver, 3)...)
			k.End(ctx, driver.Name+"-exec-1")
			k.End(ctx, driver.Name+"-exec-3")
		}
		if name == "retry" && first {
			k.Finish(ctx, driver, 1, "Error")
			return
		}
		k.Finish(ctx, driver, 0, "Completed")
	}}, namespace)
}

// plain is the life with which all others begin.
const plain = "an application succeeds"

func TestEveryWriteMayBreak(t *testing.T) {
	var usual []string
	t.Run("usual", func(t *testing.T) { usual = liveOnce(t, lives[plain], nil) })
	for name, live := range lives {
		t.Run(name, func(t *testing.T) {
			var writes []string
			t.Run("undisturbed", func(t *testing.T) {
				writes = liveOnce(t, live, nil)
				t.Logf("%d writes:\n%s", len(writes), strings.Join(writes, "\n"))
			})
			t.Run("every answer late", func(t *testing.T) {
				liveOnce(t, live, func(int, *http.Request) harness.Fault { return harness.Delay })
			})
			first := 1
			if name != plain {
				first = max(1, alike(usual, writes)) // those before are broken in the plain life; the last of them may differ in what it says
			}
			for n := first; n <= len(writes); n++ {
				for _, fault := range faultsOf(name, n) {
					t.Run(fmt.Sprintf("write %d %s", n, fault), func(t *testing.T) {
						liveOnce(t, live, func(i int, _ *http.Request) harness.Fault {
							if i == n {
								return fault
							}
							return harness.None
						})
					})
				}
			}
		})
	}
}

// faultsOf returns how write n of a life is broken: in one way, the next write in the next way, and each life begins with another way; with
// -exhaustive in every way.
func faultsOf(life string, n int) []harness.Fault {
	all := harness.Faults()
	if *exhaustive {
		return all
	}
	way := (len(life) + n) % len(all)
	return all[way : way+1]
}

// alike returns how many writes two lives have in common from the beginning, by method and kind of object.
func alike(one, other []string) int {
	n := 0
	for n < min(len(one), len(other)) && kindOf(one[n]) == kindOf(other[n]) {
		n++
	}
	return n
}

// kindOf takes numbers and names out of a line of a network's log.
func kindOf(line string) string {
	method, path, _ := strings.Cut(line[strings.Index(line, " ")+1:], " ")
	for _, kind := range []string{"/sparkapplications/", "/configmaps", "/services", "/pods"} {
		if strings.Contains(path, kind) {
			return fmt.Sprintf("%s %s status %t", method, kind, strings.HasSuffix(path, "/status"))
		}
	}
	return method + path
}

// liveOnce lives one life on a network and checks what must hold after it. An operator whose network was cut is replaced by another
// on a good one. It returns the writes of the life.
func liveOnce(t *testing.T, live func(*testing.T, string, string) *v1alpha1.SparkApplication, decide func(int, *http.Request) harness.Fault) []string {
	t.Helper()
	namespace := env.Namespace(t)
	queue := harness.Queue(t, namespace, "", "8Gi")
	k := kubelet(t, namespace)
	network := harness.NewNetwork(nil)
	if !strings.HasSuffix(strings.Split(t.Name(), "/")[1], "succeeds") {
		// Ledger and counts of the queue are broken in one of the lives only; they are written alike in all.
		network.Ignore = func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/sparkqueues/") }
	}
	if decide != nil {
		network.Decide = decide
	}
	operator := harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
	replaced := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(replaced)
		select {
		case <-network.Died():
			operator.Stop()
			harness.StartOperator(t, harness.OperatorOptions{})
		case <-stop:
		}
	}()
	app := live(t, namespace, queue.Name)
	nothingIsLeft(t, app, queue)
	close(stop)
	<-replaced
	onlyOneDriverEach(t, k, app)
	if decide != nil && !network.Broke() {
		t.Skip("nothing was broken: this life had fewer writes than the undisturbed one")
	}
	return network.Log()
}

// nothingIsLeft checks that nothing is held and nothing runs.
func nothingIsLeft(t *testing.T, app *v1alpha1.SparkApplication, queue *v1alpha1.SparkQueue) {
	t.Helper()
	if app.Status.Grant != nil && app.ResourceVersion != "" && app.DeletionTimestamp == nil {
		t.Errorf("the grant is still in the status: %s", harness.Show(app))
	}
	harness.Eventually(t, queue, "unused", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 0 && q.Status.Pending == 0 })
	pods := &corev1.PodList{}
	if err := env.Client().List(t.Context(), pods, client.InNamespace(app.Namespace)); err != nil {
		t.Fatal(err)
	}
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			t.Errorf("pod %s is still %s", p.Name, p.Status.Phase)
		}
	}
}

// onlyOneDriverEach checks that no attempt ever had more than one driver, and each of the recorded attempts had one.
func onlyOneDriverEach(t *testing.T, k *harness.Kubelet, app *v1alpha1.SparkApplication) {
	t.Helper()
	created := k.Created(app.UID)
	for attempt, n := range created {
		if n != 1 {
			t.Errorf("attempt %s had %d drivers", attempt, n)
		}
	}
	if len(created) == 0 {
		t.Error("no driver was ever made")
	}
}
