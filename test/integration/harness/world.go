// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Main runs the tests of a package whose parallel tests mostly wait, so it runs more of them at once than there are
// processors.
//
//	func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
func Main(m *testing.M) int { return run(m, env.Main) }

// MainAudited is Main with a server that keeps an audit log.
func MainAudited(m *testing.M) int { return run(m, env.MainAudited) }

func run(m *testing.M, on func(*testing.M) int) int {
	if err := flag.Set("test.parallel", "24"); err != nil {
		// The flag is one of Go's own.
		panic(err)
	}
	ctrl.SetLogger(logr.Discard())
	defer RemovePrograms()
	return on(m)
}

// Shared is one operator for all tests of a package that run at the same time: it acts on all namespaces, so there may
// be only one. The zero value is ready for use.
type Shared struct {
	// Options are those of every start. Use sets the network.
	Options OperatorOptions

	mu       sync.Mutex
	users    int
	operator *Operator
	network  *Network
}

// Use starts the operator unless another test uses it already, and stops it with the last one. It returns the network,
// which has no faults, to count writes.
func (s *Shared) Use(t *testing.T) *Network {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		s.network = NewNetwork(nil)
		options := s.Options
		options.Network = s.network.Wrap
		s.operator = launch(t, options)
	}
	s.users++
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users--; s.users == 0 {
			s.operator.Stop()
		}
	})
	return s.network
}

// World is a namespace with a queue, a kubelet, and a history that checks everything that happens.
type World struct {
	Namespace string
	// Queue has the name of the namespace.
	Queue   *v1alpha1.SparkQueue
	Kubelet *Kubelet
	History *History

	t *testing.T
}

// Manual is a Kubelet.Run that leaves every driver to the test.
func Manual(context.Context, *Kubelet, *corev1.Pod) {}

// NewWorld creates a world. memory is the quota of its queue, which admits all namespaces; empty means no limit. k is
// the kubelet; nil leaves every driver to the test.
func NewWorld(t *testing.T, memory string, k *Kubelet) *World {
	t.Helper()
	return NewWorldIn(t, env.Namespace(t), memory, k)
}

// NewWorldIn is NewWorld in a namespace of the test.
func NewWorldIn(t *testing.T, namespace, memory string, k *Kubelet) *World {
	t.Helper()
	w := &World{Namespace: namespace, t: t}
	w.History = Record(t, w.Namespace)
	w.Queue = Queue(t, w.Namespace, "", memory)
	if k == nil {
		k = &Kubelet{Run: Manual}
	}
	w.Kubelet = StartKubelet(t, k, w.Namespace)
	return w
}

// Pi returns the manifest that most tests use, in this world.
func (w *World) Pi(name string) *v1alpha1.SparkApplication {
	return Pi(w.Namespace, name, w.Queue.Name)
}

// Apply creates an application, as changed by the given functions.
func (w *World) Apply(name string, change ...func(*v1alpha1.SparkApplication)) *v1alpha1.SparkApplication {
	w.t.Helper()
	app := w.Pi(name)
	for _, c := range change {
		c(app)
	}
	Create(w.t, app)
	return app
}

// Reach waits until an application is in a stage, with a status for its current spec.
func (w *World) Reach(app *v1alpha1.SparkApplication, stage string) {
	w.t.Helper()
	Eventually(w.t, app, stage, func(a *v1alpha1.SparkApplication) bool { return Stage(a) == stage && upToDate(a) })
}

// Driver waits until the current attempt of the application has a driver pod that has not ended, and returns it.
func (w *World) Driver(app *v1alpha1.SparkApplication) *corev1.Pod {
	w.t.Helper()
	pod := &corev1.Pod{}
	err := wait.PollUntilContextTimeout(w.t.Context(), interval, patience, true, func(ctx context.Context) (bool, error) {
		if err := env.Client().Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		if app.Status.Driver == nil {
			return false, nil
		}
		err := env.Client().Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: app.Status.Driver.PodName}, pod)
		return err == nil && metav1.IsControlledBy(pod, app) && isActive(pod), client.IgnoreNotFound(err)
	})
	if err != nil {
		w.t.Fatalf("waiting for the driver of %s: %v\n%s", app.Name, err, Show(app))
	}
	return pod
}

// Run starts the driver of an application and waits until the status says so.
func (w *World) Run(app *v1alpha1.SparkApplication) *corev1.Pod {
	w.t.Helper()
	driver := w.Driver(app)
	w.Kubelet.Start(w.t.Context(), driver)
	Eventually(w.t, app, "running", InStage(v1alpha1.RunningReason))
	return driver
}

// Succeed runs the driver of an application until it succeeds.
func (w *World) Succeed(app *v1alpha1.SparkApplication) {
	w.t.Helper()
	w.Kubelet.Finish(w.t.Context(), w.Run(app), 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
}

// SucceedAll runs the drivers of applications until they succeed, in the order in which they are admitted.
func (w *World) SucceedAll(apps ...*v1alpha1.SparkApplication) {
	w.t.Helper()
	for len(apps) > 0 {
		admitted := -1
		err := wait.PollUntilContextTimeout(w.t.Context(), interval, patience, true, func(ctx context.Context) (bool, error) {
			for i, app := range apps {
				if err := env.Client().Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
					return false, client.IgnoreNotFound(err)
				}
				if app.Status.Grant != nil {
					admitted = i
				}
			}
			return admitted >= 0, nil
		})
		if err != nil {
			w.t.Fatalf("none of %d applications is let in: %v\n%s", len(apps), err, Show(apps[0]))
		}
		w.Succeed(apps[admitted])
		apps = slices.Delete(slices.Clone(apps), admitted, admitted+1)
	}
}

// Pods returns the pods of the namespace that have not ended.
func (w *World) Pods() []corev1.Pod {
	w.t.Helper()
	list := &corev1.PodList{}
	if err := env.Client().List(w.t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	var found []corev1.Pod
	for i := range list.Items {
		if isActive(&list.Items[i]) {
			found = append(found, list.Items[i])
		}
	}
	return found
}

// Unused waits until no application holds quota of the queue or waits for it.
func (w *World) Unused() {
	w.t.Helper()
	Eventually(w.t, w.Queue, "unused", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 0 && q.Status.Pending == 0 })
}

// NothingRuns waits until no pod of the namespace is active.
func (w *World) NothingRuns() {
	w.t.Helper()
	err := wait.PollUntilContextTimeout(w.t.Context(), interval, patience, true, func(context.Context) (bool, error) {
		return len(w.Pods()) == 0, nil
	})
	if err != nil {
		for _, pod := range w.Pods() {
			w.t.Errorf("pod %s still runs", pod.Name)
		}
	}
}

// KeptDriver returns the driver pod of the last attempt of an application, by its name.
func (w *World) KeptDriver(app *v1alpha1.SparkApplication) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Status.Driver.PodName}}
}
