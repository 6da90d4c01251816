// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// nightly creates a schedule that is not due while the test continues, and waits until the operator has looked at it.
func nightly(t *testing.T, w *harness.World, change func(*v1alpha1.ScheduledSparkApplication)) *v1alpha1.ScheduledSparkApplication {
	t.Helper()
	spec, err := json.Marshal(w.Pi("pi").Spec)
	if err != nil {
		t.Fatal(err)
	}
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"}}
	s.Spec.Schedule, s.Spec.Template.Spec = "0 0 1 1 *", runtime.RawExtension{Raw: spec}
	if change != nil {
		change(s)
	}
	harness.Create(t, s)
	harness.Eventually(t, s, "observed", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ObservedGeneration == s.Generation })
	return s
}

var requestedName = regexp.MustCompile(`nightly-m-[0-9a-f]{8}`)

// requested waits until a command has named the run that it requests.
func requested(t *testing.T, w *harness.World, out *output) *v1alpha1.SparkApplication {
	t.Helper()
	out.until(t, " is requested")
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: requestedName.FindString(out.String())}}
}

// TestRunAScheduleNow: while it is suspended, and behind a run that has not finished; the exit code is that of the run.
func TestRunAScheduleNow(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	s := nightly(t, w, nil)
	me.sees(words("schedule suspend nightly"), "scheduledsparkapplication.sparkgate.io/nightly suspended")
	harness.Eventually(t, s, "suspended", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Spec.Suspend && s.Status.ObservedGeneration == s.Generation
	})

	first, out, notes := me.started("schedule", "run", "nightly", "--wait")
	one := requested(t, w, out)
	driver := w.Run(one)
	if one.Labels[v1alpha1.ScheduleLabel] != "nightly" || one.Annotations[v1alpha1.ScheduledForAnnotation] != "" {
		t.Errorf("labels %v, annotations %v", one.Labels, one.Annotations)
	}
	harness.Eventually(t, s, "active", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	second, out, behind := me.started("schedule", "run", "nightly", "--wait")
	two := requested(t, w, out)
	if !strings.Contains(out.String(), "concurrencyPolicy Forbid: it starts when these have finished, or are stalled: "+one.Name+"\n") {
		t.Errorf("the second run: %s", out)
	}
	behind.until(t, "waiting for "+two.Name+" to be created; concurrencyPolicy Forbid: it starts when")
	harness.Eventually(t, s, "saying that a run waits", func(s *v1alpha1.ScheduledSparkApplication) bool {
		ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
		return ready.Reason == v1alpha1.SuspendedReason && strings.Contains(ready.Message, "a run that was requested waits until "+one.Name+" has finished")
	})
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(two), two); err == nil {
		t.Errorf("%s runs beside %s", two.Name, one.Name)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	if code := codeOf(t, first); code != 0 {
		t.Errorf("succeeded: exit code %d: %s", code, notes)
	}
	w.Kubelet.Finish(t.Context(), w.Run(two), 7, "Error")
	if code := codeOf(t, second); code != 3 || !strings.Contains(behind.String(), "run 1 of "+two.Name+" has failed: Failed: ") {
		t.Errorf("failed: exit code %d: %s", code, behind)
	}
	me.sees(words("schedule list"), "nightly   0 0 1 1 *", "Failed", "suspended: nothing is run until spec.suspend is false")
	me.sees(words("schedule resume nightly"), "resumed")
	me.sees(words("schedule next nightly --count 1"), "Succeeded  "+one.Name+" at ", "Failed     "+two.Name+" at ")
	me.sees(words("get "+two.Name), "Schedule   nightly, requested outside its times")
}

// TestRunAScheduleByReplacing: under Replace the run that has not finished is deleted first, and the wait for it ends.
func TestRunAScheduleByReplacing(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	s := nightly(t, w, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyReplace })
	first, out, notes := me.started("schedule", "run", "nightly", "--wait")
	one := requested(t, w, out)
	w.Run(one)
	notes.until(t, "run 1, attempt 1: Running: ")
	harness.Eventually(t, s, "active", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	name := strings.TrimSpace(me.sees(words("schedule run sgsched/nightly -o name")))
	if code := codeOf(t, first); code != 1 || !strings.Contains(notes.String(), "sparkapplication "+one.Name+" in namespace "+w.Namespace+" was deleted") {
		t.Errorf("replaced: exit code %d: %s", code, notes)
	}
	two := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: strings.TrimPrefix(name, "sparkapplication.sparkgate.io/")}}
	w.Run(two)
	harness.Gone(t, one)
	me.sees(words("kill "+two.Name), "continues the run. Until then its schedule nightly misses its times", "sparkctl delete "+two.Name+" -n "+w.Namespace)
}

// TestRunPastTimes: one after the other. The exit code says that one of them has failed.
func TestRunPastTimes(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	nightly(t, w, nil)
	me.fails(1, words("schedule run nightly --for 2024-02-01"), "2024-02-01T00:00:00Z is not a time of the schedule: choose 2024-01-01T00:00:00Z or 2025-01-01T00:00:00Z")
	both, out, notes := me.started(words("schedule run nightly --from 2024-01-01 --to 2025-06-01 --wait")...)
	out.until(t, "for 2025-01-01T00:00:00Z is requested")
	var names []string
	for i, year := range []int{2024, 2025} {
		names = append(names, tick.Name("nightly", time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)))
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: names[i]}}
		w.Kubelet.Finish(t.Context(), w.Run(app), int32(7*i), "Ended")
	}
	if code := codeOf(t, both); code != 3 || !strings.Contains(notes.String(), "1 of 2 runs have not succeeded: "+names[1]) {
		t.Errorf("exit code %d: %s", code, notes)
	}
	me.sees(words("get "+names[1]), "Schedule   nightly, requested for 2025-01-01T00:00:00Z")
	me.sees(words("schedule next nightly --count 1"), "Requested  past times: 2 were created")
	me.fails(1, words("schedule run nightly --for 2025-01-01"), "application "+names[1]+" for 2025-01-01T00:00:00Z exists: run it again with sparkctl rerun "+names[1])
}

// TestRunAScheduleThatCannot: one with a mistake, one that does not exist, an application, and without the right.
func TestRunAScheduleThatCannot(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	nightly(t, w, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Schedule = "0 0 30 2 *" })
	harness.Create(t, harness.Pi(w.Namespace, "etl", w.Queue.Name))
	me.sees(words("schedule run nightly"), "nothing is run until the schedule is corrected: spec.schedule ")
	me.fails(3, words("schedule run nightly --wait"), "nightly cannot run: InvalidSpec: spec.schedule ")
	me.fails(1, words("schedule run nihgtly"), "scheduledsparkapplication nihgtly not found in namespace "+w.Namespace+": did you mean nightly?")
	me.fails(1, words("schedule run etl"), "scheduledsparkapplication etl not found in namespace "+w.Namespace+": it is an application: sparkctl rerun etl -n "+w.Namespace+" runs it again")
	me.fails(1, words("rerun nightly"), "sparkapplication nightly not found in namespace "+w.Namespace+": it is a schedule: sparkctl schedule run nightly -n "+w.Namespace+" runs it now")
	ann := as(t, &clientcmdapi.AuthInfo{ClientCertificateData: env.Config().CertData, ClientKeyData: env.Config().KeyData, Impersonate: "ann"}, w.Namespace)
	for _, verb := range []string{"run", "suspend", "resume"} {
		ann.fails(1, words("schedule "+verb+" nightly"), "you may not patch scheduledsparkapplications in namespace "+w.Namespace+": ask for a role")
	}
	few := userWith(t, w.Namespace, []string{"patch scheduledsparkapplications"})
	few.fails(1, words("schedule run nightly --wait"), "you may not get scheduledsparkapplications in namespace "+w.Namespace)
	few.sees(words("schedule run nightly"), "is requested")
}
