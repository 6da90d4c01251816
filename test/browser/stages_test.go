// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// inStage puts an application into a stage that it has reached after an hour in line, with the conditions that the operator writes.
func inStage(app *v1alpha1.SparkApplication, stage status.Stage, now time.Time) {
	ago := func(minutes time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(-minutes * time.Minute)} }
	s := &app.Status
	s.ObservedGeneration, s.Run, s.Attempt, s.Queue, s.Times.Queued = 1, 1, 1, app.Spec.Queue.Name, ago(100)
	s.Conditions = status.Conditions(nil, status.View{Stage: stage, Generation: 1}, *ago(1))
	if stage.Active() || stage.Failed() || stage == status.Succeeded {
		s.Times.Admitted = ago(40)
	}
	if stage.Active() {
		requests := map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("1")}
		s.Grant = &v1alpha1.Grant{Gate: v1alpha1.GateEmbedded, Run: 1, Attempt: 1, Queue: s.Queue, PodSets: []v1alpha1.PodSetGrant{
			{Name: v1alpha1.DriverPodSet, Count: 1, Flavor: v1alpha1.DefaultFlavor, Requests: requests},
		}}
	}
	if stage == status.Running || stage.Ended() && s.Times.Admitted != nil {
		s.Times.DriverStarted, s.Times.ExecutorsReady = ago(39), ago(35)
	}
	if stage.Ended() {
		s.Times.Finished = ago(1)
	}
}

// TestEveryStage: an application in each stage that there is, in the list and on a page of its own.
func TestEveryStage(t *testing.T) {
	namespace := env.Namespace(t)
	queue := harness.Queue(t, namespace, "", "")
	now := clock.RealClock{}.Now()
	all := map[status.Stage]*v1alpha1.SparkApplication{}
	for _, stage := range status.Stages() {
		name := strings.ToLower(string(stage))
		if stage == status.New {
			name = "new"
		}
		app := harness.Pi(namespace, name, queue.Name)
		harness.Create(t, app)
		if stage != status.New {
			inStage(app, stage, now)
			if err := env.Client().Status().Update(t.Context(), app); err != nil {
				t.Fatalf("%s: %v", stage, err)
			}
		}
		all[stage] = app
	}
	address := serve(t)
	b := address.open(t, "/applications?namespace="+namespace)
	b.has("it is live", `document.body.dataset.updates > 0`)
	for _, theme := range []string{"light", "dark"} { // the list has all colors of stages
		b.looks(theme)
		b.picture("stages-" + theme)
		b.accessible("all stages, " + theme)
	}
	for stage, app := range all {
		shown := status.Summarize(app, now).Stage
		b.goes(address.base + pathOf(app))
		b.has(app.Name+" says its stage", `document.querySelector(".head .stage").innerText === "`+shown+`"`)
		if drawn := value[bool](b, `Boolean(document.querySelector(".stages svg[role=img][aria-label*='Queued at']"))`); drawn != (stage != status.New) {
			t.Errorf("%s: the picture of its stages is drawn: %t", shown, drawn)
		}
		b.has("it is live", `document.body.dataset.updates > 0`)
		b.accessible(app.Name)
		b.picture("stage-" + app.Name)
	}
}
