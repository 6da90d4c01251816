// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package actors

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Measured is the sum of a metric of this process over all series with the given labels, each label=value: of a histogram how often
// something was observed. All operators of this process count in it.
func Measured(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			has := map[string]bool{}
			for _, l := range m.GetLabel() {
				has[l.GetName()+"="+l.GetValue()] = true
			}
			if !slices.ContainsFunc(labels, func(label string) bool { return !has[label] }) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}
