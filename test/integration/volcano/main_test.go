// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volcano runs applications under the gate Volcano, beside the real scheduler and controllers of Volcano. Tests that stop one
// of them, or need the cluster for themselves, do not run side by side.
package volcano

import (
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
	gate "github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

const (
	patience = 2 * time.Minute
)

// operator and shared are of all tests that run side by side.
var (
	operator harness.Shared
	shared   = systems.Shared{Make: func() (*systems.System, error) { return systems.NewVolcano(env.Cluster(), systems.VolcanoSettings{}) }}
)

// volcanoClient reads and writes Volcano's kinds.
func volcanoClient(t *testing.T) client.WithWatch {
	t.Helper()
	c, err := optionalkind.NewClient(env.Config(), nil, gate.AddToScheme)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs a Volcano of the test's own, with a node of so much cpu.
func start(t *testing.T, cpu string) *systems.System {
	t.Helper()
	system := systems.Volcano(t, env.Cluster(), systems.VolcanoSettings{})
	systems.Node(t, env.Client(), "alone", cpu, "64Gi")
	return system
}

// scene is a world with a queue of Volcano that has the name of the namespace.
type scene struct {
	*harness.World
	t       *testing.T
	volcano client.WithWatch
}

// newScene creates a scene whose queue has a capability of cpu; empty is none. An application needs 600m.
func newScene(t *testing.T, cpu string) *scene {
	t.Helper()
	s := &scene{World: harness.NewWorld(t, "64Gi", nil), t: t, volcano: volcanoClient(t)}
	openQueue(t, s.volcano, s.Namespace, cpu)
	return s
}

// apply creates an application of the gate Volcano.
func (s *scene) apply(name string, change ...func(*v1alpha1.SparkApplication)) *v1alpha1.SparkApplication {
	s.t.Helper()
	return s.Apply(name, append([]func(*v1alpha1.SparkApplication){underVolcano}, change...)...)
}

func underVolcano(app *v1alpha1.SparkApplication) { app.Spec.Queue.Gate = v1alpha1.GateVolcano }

func underNone(app *v1alpha1.SparkApplication) { app.Spec.Queue.Gate = v1alpha1.GateNone }

// waits waits until an application is kept out for a reason, with a message that has all the words.
func (s *scene) waits(app *v1alpha1.SparkApplication, reason string, words ...string) {
	s.t.Helper()
	harness.Eventually(s.t, app, "kept out for "+reason+" with "+strings.Join(words, ", "), func(a *v1alpha1.SparkApplication) bool {
		c := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.AdmittedCondition)
		return c != nil && c.Status == metav1.ConditionFalse && c.Reason == reason && has(c.Message, words...)
	})
	for _, pod := range s.Pods() {
		if pod.Labels[v1alpha1.ApplicationUIDLabel] == string(app.UID) {
			s.t.Errorf("%s has pod %s before it is let in", app.Name, pod.Name)
		}
	}
}

// run waits for the driver, until Volcano has placed it, then makes it run.
func (s *scene) run(app *v1alpha1.SparkApplication) *corev1.Pod {
	s.t.Helper()
	driver := s.placed(s.Driver(app))
	s.Kubelet.Start(s.t.Context(), driver)
	harness.Eventually(s.t, app, "running", harness.InStage(v1alpha1.RunningReason))
	return driver
}

// finish ends the driver in good order.
func (s *scene) finish(app *v1alpha1.SparkApplication) {
	s.t.Helper()
	s.Kubelet.Finish(s.t.Context(), s.Driver(app), 0, "Completed")
	s.Reach(app, v1alpha1.SucceededReason)
}

// placed waits until Volcano has given a pod a node.
func (s *scene) placed(pod *corev1.Pod) *corev1.Pod {
	s.t.Helper()
	if pod.Spec.SchedulerName != "volcano" {
		s.t.Errorf("pod %s is for scheduler %q", pod.Name, pod.Spec.SchedulerName)
	}
	harness.Eventually(s.t, pod, "placed", func(p *corev1.Pod) bool { return p.Spec.NodeName != "" })
	return pod
}

// executors creates the executors with these numbers, as Spark does.
func (s *scene) executors(driver *corev1.Pod, numbers ...int) []*corev1.Pod {
	s.t.Helper()
	var made []*corev1.Pod
	for _, number := range numbers {
		made = append(made, harness.Executor(s.t, driver, number))
	}
	return made
}

// group returns the PodGroup that a pod says it belongs to.
func (s *scene) group(pod *corev1.Pod) *v1beta1.PodGroup {
	s.t.Helper()
	group := &v1beta1.PodGroup{}
	name := types.NamespacedName{Namespace: s.Namespace, Name: pod.Annotations[v1beta1.KubeGroupNameAnnotationKey]}
	if err := s.volcano.Get(s.t.Context(), name, group); err != nil {
		s.t.Fatalf("group %q of pod %s: %v", name.Name, pod.Name, err)
	}
	return group
}

// groups waits until an application has so many PodGroups.
func (s *scene) groups(app *v1alpha1.SparkApplication, count int) []v1beta1.PodGroup {
	s.t.Helper()
	list := &v1beta1.PodGroupList{}
	env.UntilWithin(s.t, patience, app.Name+" has its groups", func() (bool, error) {
		err := s.volcano.List(s.t.Context(), list, client.InNamespace(s.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(app.UID)})
		return len(list.Items) == count, err
	})
	return list.Items
}

// openQueue creates a queue with a capability of cpu; empty is none. It returns when Volcano has opened it.
func openQueue(t *testing.T, c client.Client, name, cpu string) {
	t.Helper()
	queue := &v1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.QueueSpec{Weight: 1}}
	if cpu != "" {
		queue.Spec.Capability = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
	queue.Status.Allocated = corev1.ResourceList{}
	env.UntilWithin(t, patience, "queue "+name+" is created and open", func() (bool, error) {
		err := c.Get(t.Context(), types.NamespacedName{Name: name}, queue)
		if apierrors.IsNotFound(err) {
			err = c.Create(t.Context(), queue)
		}
		return queue.Status.State == v1beta1.QueueStateOpen, err
	})
}

func has(text string, words ...string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
