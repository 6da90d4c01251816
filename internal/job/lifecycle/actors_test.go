// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// settle runs passes of the operator until nothing changes.
func (w *world) settle() {
	w.t.Helper()
	for range 50 {
		before := len(w.log)
		w.pass()
		if len(w.log) == before {
			return
		}
	}
	w.t.Fatalf("the operator does not come to rest\n%s", w.story())
}

// fails runs the driver of the current attempt and ends it with exit code 1.
func (w *world) fails() {
	w.runs()
	w.settle()
	w.after(time.Second)
	w.exits(1, "Error")
	w.settle()
}

// nextLook lets time pass until the operator looks again without an event.
func (w *world) nextLook() {
	w.t.Helper()
	due := w.pass().RequeueAt
	if due.IsZero() {
		w.t.Fatalf("the operator never looks again\n%s", w.story())
	}
	w.now = due
	w.settle()
}

func (w *world) after(d time.Duration) { w.now = w.now.Add(d) }

func (w *world) driverName() string { return w.app.Status.Driver.PodName }

// kubelet harness.

func (w *world) runs() {
	w.logf("kubelet: %s runs", w.driverName())
	w.change(w.driverName(), func(p *pods.Record) { p.Phase, p.Running, p.Ready, p.Scheduled = corev1.PodRunning, true, true, true })
}

func (w *world) exits(code int32, reason string) {
	w.logf("kubelet: %s exits with %d", w.driverName(), code)
	w.change(w.driverName(), func(p *pods.Record) {
		p.Phase, p.Running, p.Ready = corev1.PodSucceeded, false, false
		if code != 0 {
			p.Phase = corev1.PodFailed
		}
		p.Ended = &pods.Ended{ExitCode: code, Reason: reason}
	})
}

func (w *world) ended(name string) {
	w.logf("kubelet: %s has ended", name)
	delete(w.pods, name)
}

// deletesEnded has a user delete the driver of the current attempt if it has ended and is recorded: its pod is gone at once.
func (w *world) deletesEnded() bool {
	if w.app == nil || w.app.Status.Driver == nil {
		return false
	}
	d := w.pods[w.app.Status.Driver.PodName]
	if d == nil || d.Active() || d.UID != w.app.Status.Driver.UID {
		return false
	}
	w.ended(d.Name)
	return true
}

// endContainers ends the containers of a pod, as the kubelet does.
func (w *world) endContainers(name string) {
	w.logf("operator: has the kubelet end the containers of %s", name)
	w.change(name, func(p *pods.Record) { p.EndsContainers = true })
}

func (w *world) executor(name string, running bool) {
	phase := corev1.PodPending
	if running {
		phase = corev1.PodRunning
	}
	s := w.app.Status
	w.pods[name] = &pods.Record{
		Origin: &pods.Origin{Namespace: "default", Application: "pi", AppUID: string(w.app.UID), Run: s.Run, Attempt: s.Attempt},
		Name:   name, Trouble: &pods.Trouble{}, UID: "uid-" + "x", Role: pods.Executor, Phase: phase, Running: running, Ready: running, Node: "node-1", BoundAt: uint32(w.now.Unix())}
}

// user harness.

func (w *world) edit(what string, change func(*v1alpha1.SparkApplication)) {
	w.logf("user: %s", what)
	change(w.app)
	w.app.Generation++
}

func (w *world) remove() {
	w.logf("user: deletes the application")
	w.deleted()
}

// deleted does what the API server does when the application is deleted.
func (w *world) deleted() {
	if len(w.app.Finalizers) == 0 {
		w.app = nil
		return
	}
	now := metav1.NewTime(w.now)
	w.app.DeletionTimestamp = &now
}

// crashes makes the operator crash after that many steps of its next pass.
func (w *world) crashes(after int) {
	w.budget = after
	w.pass()
	w.budget = -1
	w.restarted()
	w.logf("operator: crashed and restarted")
}

// takenBack is the reason why the gate of a movie wants its grant back.
const takenBack = "default/etl takes back what queue team-b has lent"

// retries sets the restart policy before the application is first seen.
func (w *world) retries(policy v1alpha1.RestartPolicyType, set ...func(*v1alpha1.RestartPolicy)) {
	w.app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: policy}
	for _, s := range set {
		s(w.app.Spec.RestartPolicy)
	}
}

// runsWithExecutors starts the driver and both executors.
func (w *world) runsWithExecutors() {
	w.runs()
	w.settle()
	w.executor(w.driverName()+"-exec-1", true)
	w.executor(w.driverName()+"-exec-2", true)
	w.settle()
}

// endsWithExecutors ends the driver and both executors.
func (w *world) endsWithExecutors(code int32) {
	delete(w.pods, w.driverName()+"-exec-1")
	delete(w.pods, w.driverName()+"-exec-2")
	w.exits(code, "")
	w.settle()
}

// setClock sets the system clock ahead, or back.
func (w *world) setClock(by time.Duration) {
	w.logf("machine: its clock is set by %s", by)
	w.now = w.now.Add(by)
}

func timeouts(set func(*v1alpha1.Timeouts)) *v1alpha1.Timeouts {
	t := &v1alpha1.Timeouts{}
	set(t)
	return t
}

func seconds(n int) *v1alpha1.Duration {
	return &v1alpha1.Duration{Duration: time.Duration(n) * time.Second}
}
