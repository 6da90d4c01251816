// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

func configMap(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "conf"}, Data: map[string]string{"spark-defaults.conf": text}}
}

// crowd returns a shelf with n applications. All refer to the same ConfigMap, and each to a Secret of its own.
func crowd(t *testing.T, n int) (*shelf, []*v1alpha1.SparkApplication) {
	s := newShelf(t, configMap("spark.driver.memory 512m\n"))
	s.cache = fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}}).Build()
	var apps []*v1alpha1.SparkApplication
	for i := range n {
		secret := fmt.Sprintf("secret-%d", i)
		if err := s.live.Create(t.Context(), secretWith(secret, map[string][]byte{"key": []byte("value")})); err != nil {
			t.Fatal(err)
		}
		app := s.pass(secret).app
		app.Name, app.Generation = fmt.Sprintf("pi-%d", i), 1
		app.Spec.SparkVersion, app.Spec.Image = "4.1.4", "spark:4.1.4"
		app.Spec.Type, app.Spec.MainApplicationFile, app.Spec.MainClass = v1alpha1.ScalaApplication, "local:///app.jar", "Pi"
		app.Spec.SparkConfigMap, app.Spec.Executor.Instances = "conf", ptr.To[int32](1)
		apps = append(apps, app)
	}
	return s, apps
}

// look plans the first start of an application in a stage, as one pass of the controller does.
func (s *shelf) look(app *v1alpha1.SparkApplication, stage status.Stage) (*pass, *lifecycle.Plan) {
	s.t.Helper()
	app.Status.Conditions = status.Conditions(nil, status.View{Stage: stage, Message: "m"}, metav1.Now())
	p, plan := s.plan(app, lifecycle.Start{Run: 1, Attempt: 1})
	if len(plan.Findings) > 0 || len(plan.Missing) > 0 {
		s.t.Fatalf("the plan has findings or lacks references: %+v", plan)
	}
	return p, plan
}

// TestWaitingCostsNoReads: an application is planned once. While it waits for its turn nothing is read, however often
// it is looked at and however long it waits. One that cannot be admitted with the current configuration is checked from
// time to time.
func TestWaitingCostsNoReads(t *testing.T) {
	t.Parallel()
	const applications, looks = 30, 50
	s, apps := crowd(t, applications)
	for _, app := range apps {
		s.look(app, status.New)
	}
	for _, app := range apps { // the gate has not looked yet
		s.look(app, status.New)
	}
	planned := s.reads
	if planned > 2*applications+1 { // a Secret and a ConfigMap; whether the ConfigMap is there at all is known to the others
		t.Errorf("planning %d applications took %d reads", applications, planned)
	}
	for range looks {
		s.clock.SetTime(s.clock.Now().Add(time.Minute))
		for _, app := range apps {
			for _, stage := range []status.Stage{status.Queued, status.Preempted, status.Deactivated} {
				s.look(app, stage)
			}
		}
	}
	if s.reads != planned {
		t.Errorf("waiting has cost %d reads", s.reads-planned)
	}
	for range 2 {
		s.look(apps[0], status.ExceedsQuota)
		if s.reads == planned {
			t.Error("an application that exceeds its quota did not look again")
		}
		planned = s.reads
		s.look(apps[0], status.ExceedsQuota)
		if s.reads != planned {
			t.Error("it looks each time that it is looked at")
		}
		s.clock.SetTime(s.clock.Now().Add(presenceTTL))
	}
}

// TestTurn: once the gate has granted an ask that was planned long ago, all references are read again.
func TestTurn(t *testing.T) {
	t.Parallel()
	s, apps := crowd(t, 1)
	_, first := s.look(apps[0], status.New)
	if err := s.live.Update(t.Context(), configMap("spark.driver.memory 2g\n")); err != nil {
		t.Fatal(err)
	}
	p, waiting := s.look(apps[0], status.Queued)
	if waiting.Inputs != first.Inputs {
		t.Errorf("the inputs changed while it waited")
	}
	if !p.planned.ReusesChecks {
		t.Error("it looked before its turn")
	}
	turn := func() *lifecycle.Plan {
		t.Helper()
		granted, err := p.planner.PlanGranted(t.Context(), apps[0], lifecycle.Start{Run: 1, Attempt: 1})
		if err != nil || granted.ReusesChecks {
			t.Fatalf("relies on earlier checks: %t, %v", granted.ReusesChecks, err)
		}
		return granted.Plan
	}
	if now := turn(); now.Inputs == first.Inputs || now.PodSets[0].Requests["memory"] <= first.PodSets[0].Requests["memory"] {
		t.Errorf("granted, it is still planned as %+v", now)
	}

	p, _ = s.look(apps[0], status.Queued)
	if err := s.live.Delete(t.Context(), configMap("")); err != nil {
		t.Fatal(err)
	}
	if now := turn(); len(now.Missing) != 1 {
		t.Errorf("what is gone is not missing: %+v", now)
	}
}
