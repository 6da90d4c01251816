// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// operate runs an operator of the test's own.
func operate(t *testing.T) *harness.Operator {
	t.Helper()
	return harness.StartOperator(t, harness.OperatorOptions{})
}

// TestTwoGangsOnOneNode: the node has 800m. Each application needs a driver and two executors of 200m. Placed pod by pod, both drivers would
// run, with one executor each, and wait for the other's quota for ever. So one waits as a whole, and each runs as a whole.
func TestTwoGangsOnOneNode(t *testing.T) {
	start(t, "800m")
	s := newScene(t, "")
	operate(t)
	apps := []*v1alpha1.SparkApplication{s.apply("a"), s.apply("b")}
	first := s.firstOf(apps)
	for _, app := range []*v1alpha1.SparkApplication{apps[first], apps[1-first]} {
		driver := s.run(app)
		for _, executor := range s.executors(driver, 1, 2) {
			s.Kubelet.Start(t.Context(), s.placed(executor))
		}
		harness.Eventually(t, app, "complete", func(a *v1alpha1.SparkApplication) bool { return a.Status.Times.ExecutorsReady != nil })
		if app == apps[first] {
			s.waits(apps[1-first], v1alpha1.WaitingForQuotaReason)
		}
		for _, pod := range s.Pods() {
			if pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleExecutor {
				s.Kubelet.Finish(t.Context(), &pod, 0, "Completed")
			}
		}
		s.finish(app)
	}
}

// firstOf waits until one of the applications is let in.
func (s *scene) firstOf(apps []*v1alpha1.SparkApplication) int {
	s.t.Helper()
	first := -1
	harness.Eventually(s.t, apps[0], "let in, or another one", func(*v1alpha1.SparkApplication) bool {
		for i, app := range apps {
			harness.Eventually(s.t, app, "seen", func(a *v1alpha1.SparkApplication) bool { return len(a.Status.Conditions) > 0 })
			if app.Status.Grant != nil {
				first = i
			}
		}
		return first >= 0
	})
	return first
}

// TestRestarts: who waits keeps waiting and what runs keeps running while Volcano or the operator is away.
func TestRestarts(t *testing.T) {
	system := start(t, "16")
	s := newScene(t, "1")
	one := operate(t)
	first := s.apply("first")
	driver := s.run(first)
	second := s.apply("second")
	s.waits(second, v1alpha1.WaitingForQuotaReason)
	stop(t, system.Stop)
	one.Stop()

	two := operate(t)
	s.waits(second, v1alpha1.WaitingForQuotaReason)
	if err := system.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.placed(s.executors(driver, 1)[0])
	two.Stop()
	s.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	operate(t)
	s.Reach(first, v1alpha1.SucceededReason)
	s.run(second)
	s.finish(second)
	s.groups(first, 0)
	s.groups(second, 0)
}

func stop(t *testing.T, f func() error) {
	t.Helper()
	if err := f(); err != nil {
		t.Fatal(err)
	}
}

// TestNotInstalled: without Volcano its applications wait and say what to install, the others run; once it is installed they go on, with the
// same operator. When it is taken away again, what runs continues, and can be deleted.
func TestNotInstalled(t *testing.T) {
	system := start(t, "16")
	stop(t, func() error { return system.Uninstall(t.Context()) })
	s := &scene{World: harness.NewWorld(t, "64Gi", nil), t: t, volcano: volcanoClient(t)}
	operate(t)
	app := s.apply("app")
	s.waits(app, v1alpha1.GateNotInstalledReason, "PodGroup", "install Volcano")
	s.Succeed(s.Apply("other"))

	if err := system.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	openQueue(t, s.volcano, s.Namespace, "1")
	s.run(app)
	stop(t, func() error { return system.Uninstall(t.Context()) })
	next := s.apply("next")
	s.waits(next, v1alpha1.GateNotInstalledReason, "install Volcano")
	s.finish(app)
	harness.Change(t, next, underNone)
	s.Succeed(next)
}

// TestMovesToAnotherGate: who waits at one gate and chooses another one leaves nothing behind, also while no operator runs.
func TestMovesToAnotherGate(t *testing.T) {
	for name, down := range map[string]bool{"at once": false, "while the operator is down": true} {
		t.Run(name, func(t *testing.T) {
			start(t, "16")
			s := newScene(t, "1")
			stopped := operate(t)
			first := s.apply("first")
			s.run(first)
			mover := s.apply("mover")
			s.waits(mover, v1alpha1.WaitingForQuotaReason, "Volcano")
			change := func(to v1alpha1.GateType) {
				if down {
					stopped.Stop()
				}
				harness.Change(t, mover, func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Gate = to })
				if down {
					stopped = operate(t)
				}
			}
			// The queue of the embedded gate has no quota.
			harness.Change(t, s.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
			change(v1alpha1.GateEmbedded)
			s.waits(mover, v1alpha1.QueueHeldReason)
			s.groups(mover, 0)
			harness.Eventually(t, s.Queue, "waited for", func(q *v1alpha1.SparkQueue) bool { return q.Status.Pending == 1 })

			change(v1alpha1.GateVolcano)
			s.waits(mover, v1alpha1.WaitingForQuotaReason, "Volcano")
			s.groups(mover, 1)
			harness.Eventually(t, s.Queue, "left alone", func(q *v1alpha1.SparkQueue) bool { return q.Status.Pending == 0 })
			s.finish(first)
			s.run(mover)

			// In mid-run the gate of the grant stays; the next run asks the other one.
			change(v1alpha1.GateNone)
			harness.Eventually(t, mover, "told that the gate comes later", func(a *v1alpha1.SparkApplication) bool {
				return harness.Stage(a) == v1alpha1.RunningReason && a.Status.Grant.Gate == v1alpha1.GateVolcano && has(harness.Message(a), "gate Volcano", "spec.queue.gate None takes effect")
			})
			s.groups(mover, 1)
			s.finish(mover)
			harness.Change(t, mover, func(app *v1alpha1.SparkApplication) { app.Spec.RunID = "again" })
			s.Run(mover)
			if mover.Status.Run != 2 || mover.Status.Grant.Gate != v1alpha1.GateNone {
				t.Errorf("the second run: %s", harness.Show(mover))
			}
			s.groups(mover, 0)
			s.finish(mover)
		})
	}
}
