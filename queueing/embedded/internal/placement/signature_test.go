// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
)

// Asks have the same shape exactly if they need the same.
func TestShapes(t *testing.T) {
	t.Parallel()
	pod := func(change func(*queueing.PodSet)) []queueing.PodSet {
		p := queueing.PodSet{
			Name: "executor", Count: 3, MinCount: 2, Requests: queueing.Resources{"cpu": 1, "memory": 2}, Flavors: []string{"spot", "default"},
			Tolerations:  []corev1.Toleration{{Key: "a", Operator: "Exists", Effect: "NoSchedule"}},
			NodeSelector: map[string]string{"zone": "1", "disk": "ssd"},
		}
		if change != nil {
			change(&p)
		}
		return []queueing.PodSet{p}
	}
	base := NewSignature(pod(nil)).Key
	tests := map[string]struct {
		podSets []queueing.PodSet
		same    bool
	}{
		"same":              {podSets: pod(nil), same: true},
		"name":              {podSets: pod(func(p *queueing.PodSet) { p.Name = "driver" })},
		"count":             {podSets: pod(func(p *queueing.PodSet) { p.Count = 4 })},
		"least":             {podSets: pod(func(p *queueing.PodSet) { p.MinCount = 1 })},
		"amount":            {podSets: pod(func(p *queueing.PodSet) { p.Requests = queueing.Resources{"cpu": 1, "memory": 3} })},
		"one more resource": {podSets: pod(func(p *queueing.PodSet) { p.Requests = queueing.Resources{"cpu": 1, "memory": 2, "gpu": 0} })},
		"order of flavors":  {podSets: pod(func(p *queueing.PodSet) { p.Flavors = []string{"default", "spot"} })},
		"flavors in one":    {podSets: pod(func(p *queueing.PodSet) { p.Flavors = []string{`spot"@"default`} })},
		"toleration":        {podSets: pod(func(p *queueing.PodSet) { p.Tolerations[0].Value = "x" })},
		"no toleration":     {podSets: pod(func(p *queueing.PodSet) { p.Tolerations = nil })},
		"selector":          {podSets: pod(func(p *queueing.PodSet) { p.NodeSelector = map[string]string{"zone": "2", "disk": "ssd"} })},
		"one more pod set":  {podSets: append(pod(nil), pod(nil)...)},
		"none":              {},
		"how long it tolerates": {podSets: pod(func(p *queueing.PodSet) {
			seconds := int64(5)
			p.Tolerations[0].TolerationSeconds = &seconds
		}), same: true},
		"least that is all": {podSets: pod(func(p *queueing.PodSet) { p.MinCount, p.Count = 2, 2 })},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := NewSignature(tc.podSets).Key == base; got != tc.same {
				t.Errorf("same shape: %v, want %v", got, tc.same)
			}
		})
	}
}
