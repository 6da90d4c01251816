// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// A negative number is refused, also by a queue that does not exist or has no limit, and it benefits no other ask.
func TestBrokenAsksAreRefused(t *testing.T) {
	t.Parallel()
	cpu := queueing.Resources{"cpu": 1000}
	tests := map[string]struct {
		queue string
		sets  []queueing.PodSet
		word  string
	}{
		"a negative request":  {"a", []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": -5, "pods": 1}}}, "cpu -5 of pod set driver"},
		"behind a good one":   {"a", []queueing.PodSet{{Name: "driver", Count: 1, Requests: cpu}, {Name: "executor", Count: 1, Requests: queueing.Resources{"memory": math.MinInt64}}}, "memory -9223372036854775808 of pod set executor"},
		"a negative count":    {"a", []queueing.PodSet{{Name: "driver", Count: -3, Requests: cpu}}, "count -3 of pod set driver"},
		"a negative minimum":  {"a", []queueing.PodSet{{Name: "driver", Count: 3, MinCount: -1, Requests: cpu}}, "minimum count -1 of pod set driver"},
		"no limit":            {"free", []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": -5}}}, "cpu -5"},
		"no such queue":       {"nowhere", []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": -5}}}, "cpu -5"},
		"a limit of nobody's": {"a", []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"nvidia.com/gpu": -1}}}, "nvidia.com/gpu -1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "a cpu=1\nfree", "")
			e.Submit(queueing.Ask{Key: keyOf("x"), Queue: tc.queue, PodSets: tc.sets})
			e.Submit(queueing.Ask{Key: keyOf("y"), Queue: "a", PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1001}}}})
			if got := e.Cycle(0); len(got) != 0 {
				t.Errorf("granted: %v", got)
			}
			v := e.Verdict(keyOf("x"))
			if v.State != queueing.Refused || !strings.Contains(v.Message, tc.word) {
				t.Errorf("verdict: %s, want a refusal with %q", says(v), tc.word)
			}
			if x, known := e.Explain(keyOf("x")); !known || len(x.Pending.Remedies) != 1 || !strings.Contains(x.Pending.Remedies[0], tc.word) {
				t.Errorf("explanation: %v, want a report of %q", x.Pending.Remedies, tc.word)
			}
		})
	}
}

// extremes are numbers at which integer arithmetic overflows.
var extremes = []int64{
	0, 1, 7, 1000, amounts.Max - 1, amounts.Max, amounts.Max + 1, math.MaxInt64/2 + 1, quota.MaxAmount, math.MaxInt64, -1, -amounts.Max, math.MinInt64,
}

func extreme(r *rand.Rand) int64 {
	if r.IntN(2) == 0 {
		return r.Int64N(10)
	}
	return extremes[r.IntN(len(extremes))]
}

func hostilePodSets(r *rand.Rand) []queueing.PodSet {
	counts := []int32{0, 1, 2, 100, math.MaxInt32, math.MaxInt32 - 1, -1, math.MinInt32}
	sets := make([]queueing.PodSet, 1+r.IntN(3))
	for i := range sets {
		sets[i] = queueing.PodSet{Name: fmt.Sprint(i), Count: counts[r.IntN(len(counts))], Requests: queueing.Resources{"cpu": extreme(r), "memory": extreme(r)}}
		if r.IntN(3) == 0 {
			sets[i].MinCount = counts[r.IntN(len(counts))]
		}
	}
	return sets
}

// exactly adds the charges of a grant with unbounded integers.
func exactly(sums map[string]*big.Int, g queueing.Grant) {
	for _, p := range g.PodSets {
		for name, amount := range p.Requests {
			if sums[name] == nil {
				sums[name] = new(big.Int)
			}
			sums[name].Add(sums[name], new(big.Int).Mul(big.NewInt(int64(p.Count)), big.NewInt(amount)))
		}
	}
}

// asked returns the pod sets of a grant as those of an ask.
func asked(g queueing.Grant) []queueing.PodSet {
	var out []queueing.PodSet
	for _, p := range g.PodSets {
		out = append(out, queueing.PodSet{Name: p.Name, Count: p.Count, Requests: p.Requests})
	}
	return out
}

func checkSums(t *testing.T, sums map[string]*big.Int, nominal int64) {
	t.Helper()
	for name, sum := range sums {
		if sum.Cmp(big.NewInt(nominal)) > 0 {
			t.Fatalf("%s of %s is granted, and the quota is %d", sum, name, nominal)
		}
	}
}

// TestHostileNumbersStayWithinQuota: whatever numbers are in asks, restored grants and quotas, the exact sum of the
// grants stays within the quota, no ask with a negative number is granted, and no usage is negative.
func TestHostileNumbersStayWithinQuota(t *testing.T) {
	t.Parallel()
	granted := 0
	played := randtest.Each(t, 500, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 12))
		nominal := []int64{0, 5, 1000, amounts.Max, quota.MaxAmount - 1}[r.IntN(5)]
		e := New()
		admits := func(map[string]string) bool { return true }
		e.SetQueues([]config.Queue{{Name: "a", Weight: 1, Admits: admits, Flavors: []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{
			{Resource: "cpu", Nominal: nominal}, {Resource: "memory", Nominal: nominal},
		}}}}})
		sums, over := map[string]*big.Int{}, false
		for i := range 1 + r.IntN(8) {
			key := keyOf(fmt.Sprint("x", i))
			if r.IntN(5) == 0 {
				e.Restore(key, queueing.Grant{Run: 1, Attempt: 1, Queue: "a", PodSets: []queueing.PodSetGrant{
					{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": extreme(r), "memory": extreme(r)}},
				}})
				over = true
			} else {
				e.Submit(queueing.Ask{Key: key, Run: 1, Attempt: 1, Queue: "a", PodSets: hostilePodSets(r)})
			}
			for _, d := range e.Cycle(0) {
				granted++
				if why := queueing.BrokenPodSets(asked(d.Grant)); why != "" {
					t.Fatalf("granted %s", why)
				}
				exactly(sums, d.Grant)
			}
		}
		checkSums(t, sums, nominal)
		state, _ := e.Queues().State("a")
		for _, u := range state.Usage {
			if u.Used < 0 || u.Borrowed < 0 || u.Lent < 0 || !over && u.Used > nominal {
				t.Fatalf("usage %+v of a quota of %d", u, nominal)
			}
		}
	})
	if played > 100 && granted < played/10 {
		t.Errorf("%d grants in %d worlds: the test plays nothing else than refusals", granted, played)
	}
}
