// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

func TestTextOfAmounts(t *testing.T) {
	t.Parallel()
	if got := amountText("cpu", quota.Unlimited); got != "without limit" {
		t.Errorf("no limit is printed %q", got)
	}
	if got := amountText("hugepages-2Mi", 4<<20); got != "4Mi" {
		t.Errorf("4Mi of huge pages are printed %q", got)
	}
}

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
	base := newSignature(pod(nil)).key
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
			if got := newSignature(tc.podSets).key == base; got != tc.same {
				t.Errorf("same shape: %v, want %v", got, tc.same)
			}
		})
	}
}

// number is an item of the heap's test that records its index.
type number struct{ value, place int }

func TestHeap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	h := heap[*number]{before: func(a, b *number) bool { return a.value < b.value }, moved: func(n *number, place int) { n.place = place }}
	var all []*number
	for round := range 3000 {
		switch {
		case r.IntN(5) > 1 || len(all) == 0:
			n := &number{value: r.IntN(1000)}
			h.push(n)
			all = append(all, n)
		case r.IntN(2) == 0:
			i := r.IntN(len(all))
			h.remove(all[i].place)
			all = slices.Delete(all, i, i+1)
		default:
			n := all[r.IntN(len(all))]
			n.value = r.IntN(1000)
			h.fix(n.place)
		}
		for _, n := range all {
			if h.items[n.place] != n {
				t.Fatalf("round %d: an item is not where it thinks", round)
			}
		}
		least := slices.MinFunc(append(all, &number{value: 1000}), func(a, b *number) int { return a.value - b.value })
		if len(all) > 0 && h.items[0].value != least.value {
			t.Fatalf("round %d: the first is %d, want %d", round, h.items[0].value, least.value)
		}
	}
	h.clear()
	if len(h.items) != 0 {
		t.Error("a cleared heap has items")
	}
}
