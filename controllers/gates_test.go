// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
	"github.com/sparkgate/sparkgate/queueing/kueue"
	"github.com/sparkgate/sparkgate/queueing/none"
	"github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/queueing/yunikorn"
)

// TestMarksAreTheGates: users may not set the labels and annotations that a gate sets on pods for its scheduler. Only
// this test connects validation and gates.
func TestMarksAreTheGates(t *testing.T) {
	t.Parallel()
	ask := gatetest.NewAsk("default", "pi", "root.team-a")
	byYuniKorn, err := yunikorn.Gate{}.Sync(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	for gate, grant := range map[v1alpha1.GateType]*queueing.Grant{
		v1alpha1.GateVolcano: volcano.Grant(ask), v1alpha1.GateYuniKorn: byYuniKorn.Grant,
	} {
		for _, set := range grant.PodSets {
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi"}}
			role := &app.Spec.Driver.PodRole
			if set.Name == v1alpha1.ExecutorPodSet {
				role = &app.Spec.Executor.PodRole
			}
			role.Labels, role.Annotations = maps.Clone(set.Labels), maps.Clone(set.Annotations)
			app.Spec.SparkConf = map[string]string{conf.SchedulerName: "not-" + set.SchedulerName}
			properties, wrong := conf.Merge(app, conf.Sources{})
			if len(wrong) > 0 {
				t.Fatal(wrong)
			}
			found := map[string]bool{}
			for _, f := range validate.Gate(app, gate, properties) {
				found[f.Field] = true
			}
			for key := range set.Labels {
				reserved(t, gate, found, fmt.Sprintf("spec.%s.labels[%s]", set.Name, key))
			}
			for key := range set.Annotations {
				reserved(t, gate, found, fmt.Sprintf("spec.%s.annotations[%s]", set.Name, key))
			}
			reserved(t, gate, found, "spec.sparkConf["+conf.SchedulerName+"]")
		}
	}
}

func reserved(t *testing.T, gate v1alpha1.GateType, found map[string]bool, field string) {
	t.Helper()
	if !found[field] {
		t.Errorf("%s is free for users under the gate %s, which sets it", field, gate)
	}
}

// TestGatesDoWhatTheySay: code checks capabilities instead of names of gates, so each capability has to match what the
// gate does.
func TestGatesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	for name, gate := range map[v1alpha1.GateType]queueing.Gate{
		v1alpha1.GateEmbedded: &gate.Gate{}, v1alpha1.GateKueue: &kueue.Gate{}, v1alpha1.GateVolcano: &volcano.Gate{},
		v1alpha1.GateYuniKorn: yunikorn.Gate{}, v1alpha1.GateNone: none.Gate{},
	} {
		can := gate.Capabilities()
		if diff := cmp.Diff(catalog.Of(name), can); diff != "" {
			t.Errorf("%s (-catalog +gate):\n%s", name, diff)
		}
		_, resizes := gate.(queueing.Resizer)
		_, charges := gate.(queueing.Charger)
		if can.Resizes != resizes || can.Charges != charges {
			t.Errorf("gate %s can %+v, but resizes %t and charges %t", name, can, resizes, charges)
		}
	}
	if got := catalog.Names(func(queueing.Capabilities) bool { return true }); len(got) != 5 {
		t.Errorf("%d gates in the catalog", len(got))
	}
	if can := catalog.Of("Tomorrow"); !can.Queues || can.Resizes {
		t.Errorf("a gate that is not known can %+v", can)
	}
}
