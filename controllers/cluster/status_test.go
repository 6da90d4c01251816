// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

func etl() *v1alpha1.SparkCluster {
	return &v1alpha1.SparkCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "etl", UID: "c", Generation: 3, Labels: map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"}},
		Spec:       v1alpha1.SparkClusterSpec{SparkVersion: "4.1.4", Image: "spark:4.1"},
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
	ready := apimeta.FindStatusCondition(got.Conditions, v1alpha1.ReadyCondition)
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
}

// TestStatusOfARefusedCluster: what the API server refuses is a mistake in the cluster, in its own words.
func TestStatusOfARefusedCluster(t *testing.T) {
	t.Parallel()
	got := statusOf(etl(), nil, "spec.driver.memory: invalid value", metav1.Now())
	stalled := apimeta.FindStatusCondition(got.Conditions, v1alpha1.StalledCondition)
	if stalled == nil || stalled.Status != metav1.ConditionTrue || !strings.Contains(stalled.Message, "spec.master.memory") {
		t.Errorf("refused: %+v", got)
	}
}
