// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

func etl() *v1alpha1.SparkCluster {
	return &v1alpha1.SparkCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "etl", UID: "c", Generation: 3, Labels: map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"}},
		Spec:       v1alpha1.SparkClusterSpec{SparkVersion: "4.1.4", Image: "spark:4.1"},
	}
}

// TestApplicationOf: the smallest cluster makes a valid application, closed to what needs no password, and its properties win over the defaults.
func TestApplicationOf(t *testing.T) {
	t.Parallel()
	smallest := applicationOf(etl())
	if found := validate.Application(smallest); len(found) > 0 {
		t.Errorf("findings: %v", found)
	}
	if smallest.Spec.SparkConf["spark.master.rest.enabled"] != "false" || *smallest.Spec.Executor.Instances != 1 || len(smallest.Labels) > 0 || !metav1.IsControlledBy(smallest, etl()) {
		t.Errorf("made %+v", smallest)
	}
	c := etl()
	c.Spec.SparkConf = map[string]string{"spark.master.rest.enabled": "true"}
	c.Spec.Workers = v1alpha1.ClusterWorkers{PodRole: v1alpha1.PodRole{Memory: "4g"}, ServiceAccountName: "jobs", Min: ptr.To[int32](3)}
	c.Spec.Suspend, c.Spec.AllowedNamespaces = true, []string{"hub"}
	got := applicationOf(c).Spec
	if got.SparkConf["spark.master.rest.enabled"] != "true" || got.SparkConf["spark.kubernetes.authenticate.executor.serviceAccountName"] != "jobs" ||
		*got.Executor.Instances != 3 || got.Executor.Memory != "4g" || !got.Suspend || got.Server.AllowedNamespaces[0] != "hub" {
		t.Errorf("made %+v", got)
	}
	if defaults["spark.master.rest.enabled"] != "false" {
		t.Error("the defaults have changed")
	}
}

// TestStatusOf: a cluster says what its application says, of its own generation and in its own words.
func TestStatusOf(t *testing.T) {
	t.Parallel()
	now := metav1.NewTime(time.Unix(1000, 0))
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Generation: 7}}
	app.Status.ObservedGeneration, app.Status.Queue = 7, "team-a"
	app.Status.Executors = &v1alpha1.ExecutorStatus{Summary: "2/2"}
	app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.Running, Generation: 7,
		Message: "driver pod etl-1 is running; 0 of 2 executors"}, now)
	got := statusOf(etl(), app, "", now)
	ready := got.Conditions[len(got.Conditions)-1]
	for i := range got.Conditions {
		if got.Conditions[i].Type == v1alpha1.ReadyCondition {
			ready = got.Conditions[i]
		}
	}
	if got.ObservedGeneration != 3 || ready.ObservedGeneration != 3 || ready.Message != "master pod etl-1 is running; 0 of 2 workers" ||
		got.Workers != "2/2" || got.Queue != "team-a" || got.Address != "spark://etl.team-a:7077" {
		t.Errorf("status %+v, ready %+v", got, ready)
	}

	// The spec of the application has just been changed: what is published is about the one before.
	behind := etl()
	behind.Generation, behind.Status = 4, got
	app.Generation = 8
	if after := statusOf(behind, app, "", now); after.ObservedGeneration != 3 || len(after.Conditions) != len(got.Conditions) {
		t.Errorf("status %+v", after)
	}

	refused := statusOf(etl(), nil, "spec.driver.memory: invalid value", now)
	var stalled bool
	for _, c := range refused.Conditions {
		stalled = stalled || c.Type == v1alpha1.StalledCondition && c.Status == metav1.ConditionTrue && strings.Contains(c.Message, "spec.master.memory")
	}
	if !stalled {
		t.Errorf("refused: %+v", refused)
	}
}
