// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Measured returns the sum of a metric of this process over all series with the given labels, each label=value; for a
// histogram, the number of observations. All operators of this process share their metrics.
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

// MeasuredSoon waits until Measured returns the wanted value: a write is counted when its answer has arrived, and other
// clients may see its effect before that.
func MeasuredSoon(t *testing.T, want float64, name string, labels ...string) {
	t.Helper()
	got := 0.0
	err := wait.PollUntilContextTimeout(t.Context(), interval, patience, true, func(context.Context) (bool, error) {
		got = Measured(t, name, labels...)
		return got == want, nil
	})
	if err != nil {
		t.Errorf("%s%v is %v, want %v", name, labels, got, want)
	}
}
