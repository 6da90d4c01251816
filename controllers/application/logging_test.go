// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// logged collects what is logged up to a level.
func logged(ctx context.Context, level int) (context.Context, func() []string) {
	var lines []string
	log := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{Verbosity: level})
	return logr.NewContext(ctx, log), func() []string {
		taken := lines
		lines = nil
		return taken
	}
}

// A life is one line per stage, whatever the driver's status says: it may be the tenant who wrote it.
func TestLogOfALife(t *testing.T) {
	t.Parallel()
	const secret = "password=hunter2"
	r, c, app := submission(t)
	ctx, lines := logged(t.Context(), 0)
	reconcile := func() {
		for range 5 {
			if _, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	reconcile()
	var drivers corev1.PodList
	if err := c.List(ctx, &drivers); err != nil || len(drivers.Items) != 1 {
		t.Fatalf("%d pods after the submission, want the driver: %v", len(drivers.Items), err)
	}
	driver := &drivers.Items[0]
	driver.UID, driver.ResourceVersion = "driver", "1000" // as an API server would
	observe := func(phase corev1.PodPhase, state corev1.ContainerState) {
		r.Clock.(*clocktesting.FakeClock).Step(time.Minute)
		driver.ResourceVersion += "0"
		driver.Status = corev1.PodStatus{Phase: phase, Message: secret, ContainerStatuses: []corev1.ContainerStatus{{Name: "spark-kubernetes-driver", State: state}}}
		if err := r.Pods.Update(driver); err != nil {
			t.Fatal(err)
		}
		reconcile()
	}
	observe(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
	observe(corev1.PodFailed, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: 1, Reason: secret, Message: secret, FinishedAt: metav1.NewTime(r.Clock.Now()),
	}})
	want := []string{
		`"level"=0 "msg"="Stage changed" "oldStage"="New" "newStage"="Submitting" "reason"="DelegatedToScheduler" "run"=1 "attempt"=1 "queue"="default" "gate"="None"`,
		`"level"=0 "msg"="Stage changed" "oldStage"="Submitting" "newStage"="Running" "reason"="DelegatedToScheduler" "run"=1 "attempt"=1 "queue"="default" "gate"="None"`,
		`"level"=0 "msg"="Stage changed" "oldStage"="Running" "newStage"="Failed" "reason"="Other" "run"=1 "attempt"=1 "queue"="default" "gate"="None"`,
	}
	if diff := cmp.Diff(want, lines()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// At the level debug each decision says what it needed, of which gate, and what that answered.
func TestLogOfDecisions(t *testing.T) {
	t.Parallel()
	r, _, app := submission(t)
	ctx, lines := logged(t.Context(), 1)
	if _, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range lines() {
		if _, decision, found := strings.Cut(line, `"msg"="Decided" `); found {
			got = append(got, decision)
		}
	}
	want := []string{
		`"need"="Plan"`,
		`"need"="Verdict" "gate"="None"`,
		`"need"="Nothing" "gate"="None" "stage"="Submitting" "verdict"="Granted" "reason"="DelegatedToScheduler"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}
