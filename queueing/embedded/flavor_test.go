// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
)

var (
	spotTaint = corev1.Taint{Key: "spot", Value: "yes", Effect: corev1.TaintEffectNoSchedule}
	spot      = config.Flavor{Name: "spot", NodeLabels: map[string]string{"pool": "spot"}, NodeTaints: []corev1.Taint{spotTaint},
		Tolerations: []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}}
	bare     = config.Flavor{Name: "bare", NodeLabels: map[string]string{"pool": "bare"}, NodeTaints: []corev1.Taint{spotTaint}}
	onDemand = config.Flavor{Name: "on-demand", NodeLabels: map[string]string{"pool": "on-demand"}}
)

// flavored returns an engine with one queue that has that much cpu in each flavor, in that order.
func flavored(cpu ...config.FlavorQuota) *Engine {
	e := New()
	e.SetFlavors([]config.Flavor{spot, bare, onDemand})
	e.SetQueues([]config.Queue{{Name: "team", Flavors: cpu, Admits: func(map[string]string) bool { return true }}})
	return e
}

func cpuIn(flavor string, nominal int64) config.FlavorQuota {
	return config.FlavorQuota{Name: flavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: nominal}}}
}

// gang returns an ask with a driver that needs 1 cpu and executors that need 1 cpu each, after a change.
func gang(name string, executors int32, change func(driver, executor *queueing.PodSet)) queueing.Ask {
	one := queueing.Resources{"cpu": 1}
	sets := []queueing.PodSet{{Name: "driver", Count: 1, Requests: one}, {Name: "executor", Count: executors, Requests: one}}
	if change != nil {
		change(&sets[0], &sets[1])
	}
	return queueing.Ask{Key: queueing.Key{Namespace: "ns", Name: name, UID: name}, Run: 1, Attempt: 1, Queue: "team", PodSets: sets}
}

func TestPlacement(t *testing.T) {
	tolerate := []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpEqual, Value: "yes"}}
	tests := map[string]struct {
		quotas []config.FlavorQuota
		change func(driver, executor *queueing.PodSet)
		// want has the flavors of the driver and of the executors.
		want []string
	}{
		"the first flavor that has room": {[]config.FlavorQuota{cpuIn("spot", 9), cpuIn("on-demand", 9)}, nil, []string{"spot", "spot"}},
		"each pod set for itself":        {[]config.FlavorQuota{cpuIn("spot", 2), cpuIn("on-demand", 9)}, nil, []string{"spot", "on-demand"}},
		"the driver gives way":           {[]config.FlavorQuota{cpuIn("spot", 3), cpuIn("on-demand", 1)}, nil, []string{"on-demand", "spot"}},
		"as the ask says": {[]config.FlavorQuota{cpuIn("spot", 9), cpuIn("on-demand", 9)}, func(driver, _ *queueing.PodSet) {
			driver.Flavors = []string{"on-demand"}
		}, []string{"on-demand", "spot"}},
		"a taint that nobody tolerates": {[]config.FlavorQuota{cpuIn("bare", 9), cpuIn("on-demand", 9)}, nil, []string{"on-demand", "on-demand"}},
		"a taint that the pods tolerate": {[]config.FlavorQuota{cpuIn("bare", 9), cpuIn("on-demand", 9)}, func(_, executor *queueing.PodSet) {
			executor.Tolerations = tolerate
		}, []string{"on-demand", "bare"}},
		"a node selector": {[]config.FlavorQuota{cpuIn("spot", 9), cpuIn("on-demand", 9)}, func(driver, executor *queueing.PodSet) {
			driver.NodeSelector = map[string]string{"pool": "on-demand", "disk": "fast"} // no node has the label disk
			executor.NodeSelector = map[string]string{"pool": "spot"}
		}, []string{"on-demand", "spot"}},
		"the built-in flavor has no labels": {[]config.FlavorQuota{cpuIn(config.DefaultFlavor, 9), cpuIn("spot", 9)}, func(driver, _ *queueing.PodSet) {
			driver.NodeSelector = map[string]string{"pool": "spot"}
		}, []string{"spot", config.DefaultFlavor}},
		"a flavor that does not exist is passed over": {[]config.FlavorQuota{cpuIn("absent", 9), cpuIn("on-demand", 9)}, nil, []string{"on-demand", "on-demand"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := flavored(tc.quotas...)
			ask := gang("pi", 3, tc.change)
			e.Submit(ask)
			e.Cycle(0)
			v := e.Verdict(ask.Key)
			if v.Grant == nil {
				t.Fatalf("not granted: %+v", v)
			}
			if diff := cmp.Diff(tc.want, []string{v.Grant.PodSets[0].Flavor, v.Grant.PodSets[1].Flavor}); diff != "" {
				t.Errorf("flavors of driver and executors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoFlavorMatches(t *testing.T) {
	e := flavored(cpuIn("absent", 9), cpuIn("bare", 9), cpuIn("spot", 9))
	ask := gang("pi", 3, func(_, executor *queueing.PodSet) {
		executor.Flavors, executor.NodeSelector = []string{"bare", "absent"}, map[string]string{"pool": "on-demand"}
	})
	e.Submit(ask)
	e.Cycle(0)
	want := "Waiting/FlavorMismatch: no flavor of queue team fits the executor pods: flavor absent does not exist; the pods select " +
		"nodes with pool=on-demand, but nodes of flavor bare have pool=bare; flavor spot is not one of the requested flavors (bare, absent)"
	if diff := cmp.Diff(want, says(e.Verdict(ask.Key))); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
}

// A grant has the node selectors and tolerations of its pods, and is charged in their flavors, even when a flavor is
// gone.
func TestFlavorOfAGrant(t *testing.T) {
	e := flavored(cpuIn("spot", 4), cpuIn("on-demand", 4))
	ask := gang("pi", 3, nil)
	e.Submit(ask)
	e.Cycle(0)
	set := e.Verdict(ask.Key).Grant.PodSets[1]
	if diff := cmp.Diff(spot.NodeLabels, set.NodeSelector); diff != "" {
		t.Errorf("node selector (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(spot.Tolerations, set.Tolerations); diff != "" {
		t.Errorf("tolerations (-want +got):\n%s", diff)
	}
	e.SetFlavors([]config.Flavor{onDemand})
	state, _ := e.Queues().State("team")
	want := []explain.Usage{{Flavor: "on-demand", Resource: "cpu", Nominal: 4}, {Flavor: "spot", Resource: "cpu", Used: 4, Nominal: 4}}
	if diff := cmp.Diff(want, state.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

// A larger number of executors counts more than the order of the flavors.
func TestElasticGangTakesTheFlavorWithMostQuota(t *testing.T) {
	e := flavored(cpuIn("spot", 3), cpuIn("on-demand", 5))
	ask := gang("pi", 6, func(driver, executor *queueing.PodSet) { driver.Flavors, executor.MinCount = []string{"spot"}, 1 })
	e.Submit(ask)
	e.Cycle(0)
	g := e.Verdict(ask.Key).Grant
	if g == nil || g.PodSets[1].Count != 5 || g.PodSets[1].Flavor != "on-demand" {
		t.Errorf("got %+v, want 5 executors on demand", g)
	}
}

func TestNoQuotaInAnyFlavor(t *testing.T) {
	e := flavored(cpuIn("spot", 4), cpuIn("on-demand", 3))
	for _, name := range []string{"a", "b", "c"} {
		e.Submit(gang(name, 2, nil))
	}
	big := gang("d", 9, nil)
	e.Submit(big)
	e.Cycle(0)
	for key, want := range map[queueing.Key]string{
		gang("c", 2, nil).Key: "Waiting/WaitingForQuota: needs cpu 3m of flavor spot; queue team may use at most 4m (nominal 4m, borrowing 0) " +
			"and others hold the rest; no other flavor has enough free quota either",
		big.Key: "Refused/ExceedsQuota: needs cpu 10m of flavor spot; queue team can never use more than 4m, " +
			"nor enough of another flavor: request less, or raise nominal of queue team by cpu 6m",
	} {
		if diff := cmp.Diff(want, says(e.Verdict(key))); diff != "" {
			t.Errorf("verdict on %s (-want +got):\n%s", key, diff)
		}
	}
}
