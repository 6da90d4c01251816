// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/queueing/embedded"
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := embedded.QueueConfig{Name: "team"}
			for _, flavor := range strings.Fields(tc.flavors) {
				queue.Flavors = append(queue.Flavors, embedded.FlavorQuota{Name: flavor, Quotas: []embedded.ResourceQuota{{Resource: "cpu", Nominal: 1000}}})
			}
			queues := []embedded.QueueConfig{queue}
			if tc.inner {
				queues = append(queues, embedded.QueueConfig{Name: "below", Parent: "team"})
			}
			engine := embedded.New()
			engine.SetQueues(queues)
			state, _ := engine.State("team")
			if got := flavorNotFound(&state); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
