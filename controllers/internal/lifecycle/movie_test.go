// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// settle lets the operator pass until nothing changes any more.
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

// fails lets the driver of the current attempt run and end with exit code 1.
func (w *world) fails() {
	w.runs()
	w.settle()
	w.after(time.Second)
	w.exits(1, "Error")
	w.settle()
}

// nextLook lets time pass until the operator looks again by itself.
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

// kubelet actors.

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

func (w *world) executor(name string, running bool) {
	phase := corev1.PodPending
	if running {
		phase = corev1.PodRunning
	}
	s := w.app.Status
	w.pods[name] = &pods.Record{
		Origin: &pods.Origin{Namespace: "default", Application: "pi", AppUID: string(w.app.UID), Run: s.Run, Attempt: s.Attempt},
		Name:   name, UID: "uid-" + "x", Role: pods.Executor, Phase: phase, Running: running, Ready: running, Node: "node-1"}
}

// user actors.

func (w *world) edit(what string, change func(*v1alpha1.SparkApplication)) {
	w.logf("user: %s", what)
	change(w.app)
	w.app.Generation++
}

func (w *world) remove() {
	w.logf("user: deletes the application")
	w.deleted()
}

// deleted is what the API server does with a deletion.
func (w *world) deleted() {
	if len(w.app.Finalizers) == 0 {
		w.app = nil
		return
	}
	now := metav1.NewTime(w.now)
	w.app.DeletionTimestamp = &now
}

// crashes lets the operator crash after that many steps of its next pass.
func (w *world) crashes(after int) {
	w.budget = after
	w.pass()
	w.budget = -1
	w.logf("operator: crashed and restarted")
}

// takenBack is why the gate of a movie wants its grant back.
const takenBack = "default/etl takes back what queue team-b has lent"

var movies = map[string]func(w *world){
	"succeeds": func(w *world) {
		w.settle()
		w.after(time.Second)
		w.runs()
		w.settle()
		w.executor("pi-exec-1", true)
		w.executor("pi-exec-2", true)
		w.after(20 * time.Second)
		w.settle()
		delete(w.pods, "pi-exec-1")
		delete(w.pods, "pi-exec-2")
		w.exits(0, "Completed")
		w.settle()
		w.after(DefaultRetention)
		w.settle()
	},
	"executors-go-soon-after-the-driver": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.after(time.Second)
		w.ended("pi-exec-1")
		w.settle()
	},
	"executors-stay-after-the-driver": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.after(endingDelay)
		w.settle()
		w.ended("pi-exec-1")
		w.settle()
	},
	"waits-for-quota": func(w *world) {
		w.room = queueing.Waiting
		w.settle()
		w.after(time.Minute)
		w.settle()
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
	},
	"exceeds-quota-until-the-queue-grows": func(w *world) {
		w.room = queueing.Refused
		w.settle()
		w.logf("administrator: raises the quota")
		w.room = queueing.Granted
		w.settle()
	},
	"fails": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.after(time.Minute)
		w.exits(7, "Error")
		w.settle()
	},
	"is-killed-for-memory": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.exits(137, "OOMKilled")
		w.settle()
	},
	"executors-fail-before-the-driver": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.executor("pi-exec-2", true)
		w.settle()
		w.after(time.Minute)
		w.change("pi-exec-2", func(p *pods.Record) {
			p.Phase, p.Running, p.Ended = corev1.PodFailed, false, &pods.Ended{ExitCode: 137, Reason: "OOMKilled"}
		})
		w.settle()
		delete(w.pods, "pi-exec-2")
		w.after(time.Minute)
		w.settle()
		w.ended("pi-exec-1")
		w.exits(11, "Error")
		w.settle()
	},
	"a-secret-is-deleted-while-it-runs": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		w.after(time.Minute)
		w.executor("pi-exec-2", false)
		missing := func(p *pods.Record) {
			p.Waiting = pods.Waiting{Reason: "CreateContainerConfigError", Message: `secret "db" not found`}
		}
		w.change("pi-exec-2", missing)
		w.settle()
		w.after(time.Minute)
		w.executor("pi-exec-3", false)
		w.change("pi-exec-3", missing)
		w.settle()
	},
	"driver-is-deleted-by-somebody": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.ended(w.driverName())
		w.settle()
	},
	"image-cannot-be-pulled": func(w *world) {
		w.settle()
		w.change(w.driverName(), func(p *pods.Record) { p.Waiting = pods.Waiting{Reason: "ErrImagePull", Image: "spark"} })
		w.settle()
		w.change(w.driverName(), func(p *pods.Record) { p.Waiting = pods.Waiting{Reason: "ImagePullBackOff", Image: "spark"} })
		w.after(time.Minute)
		w.settle()
		w.after(DefaultDriverStart)
		w.settle()
	},
	"image-name-is-wrong": func(w *world) {
		w.settle()
		w.change(w.driverName(), func(p *pods.Record) { p.Waiting = pods.Waiting{Reason: "InvalidImageName", Image: "Spark:?"} })
		w.settle()
	},
	"suspended-before-it-starts": func(w *world) {
		w.room = queueing.Waiting
		w.settle()
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.after(time.Hour)
		w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.room = queueing.Granted
		w.settle()
	},
	"suspended-while-it-runs": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"runs-longer-than-timeouts-run": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run = seconds(20) })
		w.settle()
		w.after(5 * time.Second)
		w.runs()
		w.settle()
		w.after(19 * time.Second)
		w.settle()
		w.after(time.Second)
		w.settle()
		w.ended(w.driverName())
		w.settle()
	},
	"gets-more-time-while-it-runs": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run = seconds(20) })
		w.settle()
		w.runs()
		w.settle()
		w.after(19 * time.Second)
		w.edit("raises timeouts.run", func(a *v1alpha1.SparkApplication) { a.Spec.Timeouts.Run = seconds(60) })
		w.settle()
		w.after(40 * time.Second)
		w.exits(0, "Completed")
		w.settle()
	},
	"only-run-time-counts-for-timeouts-total": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Total, t.Run = seconds(30), seconds(25) })
		w.settle()
		w.after(time.Minute)
		w.runs()
		w.settle()
		w.after(20 * time.Second)
		w.room = queueing.Waiting
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.after(time.Hour)
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
		w.runs()
		w.settle()
		w.after(9 * time.Second)
		w.settle()
		w.after(time.Second)
		w.settle()
		w.ended(w.driverName())
		w.settle()
	},
	"waits-longer-than-timeouts-admission": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Admission = seconds(60) })
		w.room = queueing.Waiting
		w.settle()
		w.after(59 * time.Second)
		w.settle()
		w.after(time.Second)
		w.settle()
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
	},
	"time-held-is-no-time-in-the-queue": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Admission = seconds(60) })
		w.room = queueing.Waiting
		w.settle()
		w.after(50 * time.Second)
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.after(time.Hour)
		w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.settle()
		w.after(50 * time.Second)
		w.settle()
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
	},
	"others-give-their-room-back": func(w *world) {
		w.room = queueing.Waiting
		w.settle()
		w.after(time.Minute)
		w.displacing = true
		w.settle()
		w.after(30 * time.Second)
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
	},
	"preempted-while-it-runs": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		w.after(time.Hour)
		w.room = queueing.Waiting
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.after(10 * time.Second)
		w.ended("pi-exec-1")
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.after(time.Minute)
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"preempted-before-the-driver-exists": func(w *world) {
		w.crashes(3)
		w.room = queueing.Waiting
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.after(time.Minute)
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
	},
	"preempted-while-the-driver-starts": func(w *world) {
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.room = queueing.Waiting
		w.settle()
	},
	"preempted-and-the-operator-crashes-before-the-release": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.ended(w.driverName())
		w.crashes(2)
		w.settle()
	},
	"preempted-and-the-gate-changes-its-mind": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.logf("gate: lets it go on after all")
		w.wanted = nil
		w.settle()
		w.ended(w.driverName())
		w.settle()
	},
	"preempted-twice": func(w *world) {
		w.settle()
		for range 2 {
			w.runs()
			w.settle()
			w.wants(queueing.ReasonPreempted, takenBack)
			w.settle()
			w.ended(w.driverName())
			w.settle()
		}
		w.runs()
		w.settle()
		w.exits(1, "Error")
		w.settle()
	},
	"preempted-and-cannot-come-back-at-once": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.ended(w.driverName())
		w.room, w.missing = queueing.Waiting, `ServiceAccount "spark" does not exist`
		w.settle()
		w.logf("user: makes the service account")
		w.missing = ""
		w.settle()
		w.logf("administrator: cuts the quota")
		w.room = queueing.Refused
		w.settle()
		w.logf("administrator: raises the quota")
		w.room = queueing.Waiting
		w.settle()
	},
	"driver-ends-when-the-room-is-wanted-back": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.exits(0, "Completed")
		w.settle()
		w.ended("pi-exec-1")
		w.settle()
	},
	"suspended-when-the-room-is-wanted-back": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.settle()
	},
	"suspended-while-it-gives-its-room-back": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.room = queueing.Waiting
		w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.settle()
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
	},
	"queue-is-drained-and-opened-again": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.logf("administrator: drains queue team-a")
		w.drained = true
		w.wants(queueing.ReasonQueueHeld, "queue team-a is drained")
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.after(time.Hour)
		w.logf("administrator: opens queue team-a")
		w.drained = false
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"new-template-waits-and-the-room-is-wanted-back": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.room = queueing.Waiting
		w.ended(w.driverName())
		w.settle()
	},
	"new-template-is-ignored-until-the-room-is-wanted-back": func(w *world) {
		w.app.Spec.OnTemplateChange = v1alpha1.TemplateChangeIgnore
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
		w.wants(queueing.ReasonPreempted, takenBack)
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the policy", func(a *v1alpha1.SparkApplication) { a.Spec.OnTemplateChange = "" })
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"new-template-while-queued": func(w *world) {
		w.room = queueing.Waiting
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
	},
	"new-template-waits-for-the-run": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.edit("changes them again", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"6"} })
		w.settle()
		w.exits(1, "Error")
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"new-template-restarts-the-run": func(w *world) {
		w.app.Spec.OnTemplateChange = v1alpha1.TemplateChangeRestart
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
		w.ended(w.driverName())
		w.settle()
	},
	"new-template-is-taken-back-while-the-run-stops": func(w *world) {
		w.app.Spec.OnTemplateChange = v1alpha1.TemplateChangeRestart
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
		w.edit("changes them back", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = nil })
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"suspended-while-a-new-template-restarts-the-run": func(w *world) {
		w.app.Spec.OnTemplateChange = v1alpha1.TemplateChangeRestart
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.ended(w.driverName())
		w.settle()
		w.edit("resumes it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"new-template-is-ignored": func(w *world) {
		w.app.Spec.OnTemplateChange = v1alpha1.TemplateChangeIgnore
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.edit("changes runID", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
		w.settle()
	},
	"force-runs-once-more": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		force := func(token string) {
			w.logf("user: forces run with token %s", token)
			w.app.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": token, "reconcile.fluxcd.io/forceAt": token}
		}
		force("a")
		w.settle()
		force("b")
		force("c")
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"live-fields-start-nothing": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.edit("changes timeouts", func(a *v1alpha1.SparkApplication) { a.Spec.Timeouts = &v1alpha1.Timeouts{} })
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
	},
	"invalid-then-corrected-then-invalid-again": func(w *world) {
		w.mistake = "spec.mainClass: is empty: set it"
		w.settle()
		w.mistake = ""
		w.edit("corrects it", func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "x" })
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.mistake = "spec.driver.memory: too much"
		w.edit("breaks it", func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "y" })
		w.settle()
		w.mistake = ""
		w.edit("takes that back", func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "x" })
		w.settle()
	},
	"reference-is-missing": func(w *world) {
		w.missing = `ServiceAccount "spark" does not exist`
		w.settle()
		w.after(11 * time.Minute)
		w.settle()
		w.logf("user: makes the service account")
		w.missing = ""
		w.settle()
	},
	"deleted-while-it-runs": func(w *world) {
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		name := w.driverName()
		w.remove()
		w.settle()
		w.ended("pi-exec-1")
		w.settle()
		w.ended(name)
		w.settle()
	},
	"sidecar-lingers": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.logf("kubelet: the Spark container exits with 0, a sidecar goes on")
		w.change(w.driverName(), func(p *pods.Record) { p.Running, p.Ended = false, &pods.Ended{Reason: "Completed"} })
		w.settle()
		w.after(endingDelay)
		w.settle()
		w.after(sidecarGrace)
		w.settle()
		w.ended(w.driverName())
		w.settle()
	},
	"node-is-lost": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.unreachable = map[string]bool{"node-1": true}
		w.after(DefaultTermination)
		w.settle()
		w.logf("node: answers again")
		w.unreachable = nil
		w.after(time.Minute)
		w.settle()
	},
	"foreign-pod-until-the-timeout": func(w *world) {
		w.logf("somebody: makes a pod pi-1-1-driver")
		w.pods["pi-1-1-driver"] = &pods.Record{Origin: &pods.Origin{Namespace: "default"}, Name: "pi-1-1-driver", UID: "foreign", Role: pods.Other, Phase: corev1.PodSucceeded}
		w.settle()
		w.after(DefaultDriverStart)
		w.settle()
	},
	"foreign-pod-of-the-same-name": func(w *world) {
		w.logf("somebody: makes a pod pi-1-1-driver")
		w.pods["pi-1-1-driver"] = &pods.Record{Origin: &pods.Origin{Namespace: "default"}, Name: "pi-1-1-driver", UID: "foreign", Role: pods.Other, Phase: corev1.PodSucceeded}
		w.settle()
		w.after(time.Minute)
		w.settle()
		w.logf("somebody: deletes it")
		delete(w.pods, "pi-1-1-driver")
		w.after(referenceInterval)
		w.settle()
	},
}

func TestMovies(t *testing.T) {
	for name, play := range movies {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			play(w)
			got := w.story() + "\n"
			file := filepath.Join("testdata", "movies", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the story has changed (-want +got); run with -update if that is meant:\n%s", diff)
			}
			for attempt, n := range w.created {
				if n > 1 {
					t.Errorf("attempt %s had %d drivers", attempt, n)
				}
			}
		})
	}
}

func timeouts(set func(*v1alpha1.Timeouts)) *v1alpha1.Timeouts {
	t := &v1alpha1.Timeouts{}
	set(t)
	return t
}

func seconds(n int) *v1alpha1.Duration {
	return &v1alpha1.Duration{Duration: time.Duration(n) * time.Second}
}
