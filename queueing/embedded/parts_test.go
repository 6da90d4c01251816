// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

func TestQuantities(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		resource, quantity string
		want               int64
		printed            string
	}{
		"cores":                  {resource: "cpu", quantity: "2", want: 2000, printed: "2"},
		"parts of a core":        {resource: "cpu", quantity: "0.6", want: 600, printed: "600m"},
		"less than the unit":     {resource: "cpu", quantity: "1u", want: 1, printed: "1m"},
		"memory":                 {resource: "memory", quantity: "2688Mi", want: 2688 << 20, printed: "2688Mi"},
		"memory in other words":  {resource: "memory", quantity: "3145728Ki", want: 3 << 30, printed: "3Gi"},
		"memory, decimal":        {resource: "memory", quantity: "1G", want: 1e9, printed: "1000000000"},
		"half a byte":            {resource: "memory", quantity: "500m", want: 1, printed: "1"},
		"disk":                   {resource: "ephemeral-storage", quantity: "1Ti", want: 1 << 40, printed: "1Ti"},
		"storage":                {resource: "storage", quantity: "1Ki", want: 1 << 10, printed: "1Ki"},
		"huge pages":             {resource: "hugepages-2Mi", quantity: "4Mi", want: 4 << 20, printed: "4Mi"},
		"pieces":                 {resource: "nvidia.com/gpu", quantity: "8", want: 8, printed: "8"},
		"many pieces":            {resource: "pods", quantity: "5000", want: 5000, printed: "5k"},
		"nothing":                {resource: "cpu", quantity: "0", want: 0, printed: "0"},
		"negative":               {resource: "memory", quantity: "-1Gi", want: 0, printed: "0"},
		"largest bytes":          {resource: "memory", quantity: "9223372036854775807", want: quota.MaxAmount, printed: "9223372036854775806"},
		"more than all cores":    {resource: "cpu", quantity: "9223372036854775807", want: quota.MaxAmount, printed: "9223372036854775806m"},
		"exabytes":               {resource: "memory", quantity: "7Ei", want: 7 << 60, printed: "7Ei"},
		"more than all exabytes": {resource: "memory", quantity: "100Ei", want: quota.MaxAmount, printed: "9223372036854775806"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := AmountOf(tc.resource, resource.MustParse(tc.quantity))
			if got != tc.want {
				t.Errorf("%s %s is %d, want %d", tc.resource, tc.quantity, got, tc.want)
			}
			if printed := text(tc.resource, got); printed != tc.printed {
				t.Errorf("%s %d is printed %s, want %s", tc.resource, got, printed, tc.printed)
			}
			if back := AmountOf(tc.resource, *Quantity(tc.resource, got)); back != got {
				t.Errorf("%d comes back as %d", got, back)
			}
		})
	}
	if got := text("cpu", quota.Unlimited); got != "without limit" {
		t.Errorf("no limit is printed %q", got)
	}
}

// Asks are of one shape exactly if they need the same.
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
	base := shapeOf(pod(nil)).key
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
			if got := shapeOf(tc.podSets).key == base; got != tc.same {
				t.Errorf("same shape: %v, want %v", got, tc.same)
			}
		})
	}
}

// number is an item of the heap's test; it knows its place.
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
