// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// TestFlavorNotFound: the message says what happens until the flavor exists.
func TestFlavorNotFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		flavors string // of the queue
		inner   bool
		want    string
	}{
		"one of several":       {"gpu default", false, "flavor gpu does not exist: apply a SparkFlavor of that name, or remove it from spec.flavors; meanwhile pods are placed in the other flavors"},
		"the only one":         {"gpu", false, "flavor gpu does not exist: apply a SparkFlavor of that name, or remove it from spec.flavors; until then nothing is admitted"},
		"all":                  {"gpu spot", false, "flavors gpu, spot do not exist: apply SparkFlavors of these names, or remove them from spec.flavors; until then nothing is admitted"},
		"all of an inner one":  {"gpu", true, "flavor gpu does not exist: apply a SparkFlavor of that name, or remove it from spec.flavors; until then queues below it that name no flavors admit nothing"},
		"some of an inner one": {"default gpu", true, "flavor gpu does not exist: apply a SparkFlavor of that name, or remove it from spec.flavors; meanwhile pods are placed in the other flavors"},
		"below one":            {"gpu", true, "flavor gpu does not exist: apply a SparkFlavor of that name, or remove it from spec.flavors of queue team above it; until then nothing is admitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := config.Queue{Name: "team"}
			for _, flavor := range strings.Fields(tc.flavors) {
				queue.Flavors = append(queue.Flavors, config.FlavorQuota{Name: flavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 1000}}})
			}
			queues := []config.Queue{queue}
			if tc.inner {
				queues = append(queues, config.Queue{Name: "below", Parent: "team"})
			}
			engine := embedded.New()
			engine.Configure(queues, nil)
			of := "team"
			if name == "below one" {
				of = "below"
			}
			state, _ := engine.Queues().State(of)
			if got := flavorNotFound(&state); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestFlavorsOfQueuesAbove: a queue without flavors admits nothing if all flavors of its parent are missing, and
// something if one exists.
func TestFlavorsOfQueuesAbove(t *testing.T) {
	t.Parallel()
	for flavors, missing := range map[string]int{"gpu": 1, "gpu spot": 2, "gpu default": 0} {
		queues := []config.Queue{{Name: "team"}, {Name: "below", Parent: "team"}, {Name: "leaf", Parent: "below"}}
		for _, flavor := range strings.Fields(flavors) {
			queues[0].Flavors = append(queues[0].Flavors, config.FlavorQuota{Name: flavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 1000}}})
		}
		engine := embedded.New()
		engine.Configure(queues, nil)
		if state, _ := engine.Queues().State("leaf"); len(state.MissingFlavors) != missing || state.AllMissing != (missing > 0) {
			t.Errorf("%s: of the leaf, %q are missing", flavors, state.MissingFlavors)
		}
	}
}
