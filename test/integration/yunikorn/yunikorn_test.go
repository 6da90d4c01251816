// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package yunikorn runs applications under the gate YuniKorn, beside the real scheduler.
package yunikorn

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// placeholder marks the pods with which YuniKorn keeps space.
const placeholder = "yunikorn.apache.org/task-group-name"

// TestTwoGangsOnOneNode: the node has 1 cpu, an application needs 600m. YuniKorn reads the task groups and keeps space for all three pods of
// the first application before its driver runs. The second one waits as a driver without a node, which is not a failure, and follows.
func TestTwoGangsOnOneNode(t *testing.T) {
	systems.YuniKorn(t, env.Cluster(), systems.YuniKornSettings{})
	systems.Node(t, env.Client(), "yunikorn", "1", "64Gi")
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})

	first := w.Apply("first", underYuniKorn)
	driver := placed(t, w.Driver(first))
	if kept := keptCapacity(t, w.Namespace); kept["spark-executor"] != 2 {
		t.Errorf("YuniKorn keeps capacity for %v, want two executors", kept)
	}
	second := w.Apply("second", underYuniKorn)
	w.Driver(second)
	w.Reach(second, v1alpha1.StartingReason)
	if second.Status.Times.Waiting == nil {
		t.Error("the wait for a node does not count as a wait for capacity")
	}
	if m := harness.Message(second); !strings.Contains(m, "waits in queue root.Team_A of YuniKorn for a gang of 3 pods with cpu 600m, memory 2688Mi") {
		t.Errorf("the message does not say what waits: %s", m)
	}
	w.Kubelet.Start(t.Context(), driver)
	harness.Eventually(t, first, "running", harness.InStage(v1alpha1.RunningReason))
	for _, number := range []int{1, 2} {
		w.Kubelet.Start(t.Context(), placed(t, harness.Executor(t, driver, number)))
	}
	harness.Eventually(t, first, "complete", func(a *v1alpha1.SparkApplication) bool { return a.Status.Times.ExecutorsReady != nil })
	if harness.Stage(second) != v1alpha1.StartingReason || w.Driver(second).Spec.NodeName != "" {
		t.Errorf("the second did not wait: %s", harness.Show(second))
	}
	finish(t, w, first)

	driver = placed(t, w.Driver(second))
	w.Kubelet.Start(t.Context(), driver)
	harness.Eventually(t, second, "running", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.RunningReason && a.Status.Times.Waiting == nil
	})
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(second, v1alpha1.SucceededReason)
}

// TestQueueDoesNotExist: YuniKorn refuses the driver, and its words are those of the attempt.
func TestQueueDoesNotExist(t *testing.T) {
	systems.YuniKorn(t, env.Cluster(), systems.YuniKornSettings{Queues: `
partitions:
- name: default
  placementrules:
  - {name: provided, create: false}
  queues:
  - name: root
    submitacl: "*"
    queues: [{name: team-b}]
`})
	systems.Node(t, env.Client(), "yunikorn", "1", "64Gi")
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	app := w.Apply("app", underYuniKorn)
	w.Reach(app, v1alpha1.FailedReason)
	if m := harness.Message(app); !strings.Contains(m, "ApplicationRejected") || !strings.Contains(m, "spec.queue.name has to name a queue") {
		t.Errorf("the message does not say that YuniKorn refused it, and what to change: %s", m)
	}
	if a := app.Status.Attempts; len(a) != 1 || a[0].Cause != v1alpha1.CauseConfiguration {
		t.Errorf("attempts %+v, want one that is not tried again", a)
	}
}

func underYuniKorn(app *v1alpha1.SparkApplication) {
	app.Spec.Queue = &v1alpha1.QueueReference{Gate: v1alpha1.GateYuniKorn, Name: "root.Team_A"}
}

// finish lets the pods of an application succeed.
func finish(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
	t.Helper()
	for _, pod := range w.Pods() {
		if pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleExecutor {
			w.Kubelet.Finish(t.Context(), &pod, 0, "Completed")
		}
	}
	w.Kubelet.Finish(t.Context(), w.Driver(app), 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
}

// placed waits until YuniKorn has given a pod a node.
func placed(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	if pod.Spec.SchedulerName != "yunikorn" {
		t.Errorf("pod %s is for scheduler %q", pod.Name, pod.Spec.SchedulerName)
	}
	harness.Eventually(t, pod, "placed", func(p *corev1.Pod) bool { return p.Spec.NodeName != "" })
	return pod
}

// keptCapacity counts YuniKorn's placeholders by task group.
func keptCapacity(t *testing.T, namespace string) map[string]int {
	t.Helper()
	list := &corev1.PodList{}
	if err := env.Client().List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	for i := range list.Items {
		if strings.HasPrefix(list.Items[i].Name, "tg-") {
			kept[list.Items[i].Annotations[placeholder]]++
		}
	}
	return kept
}
