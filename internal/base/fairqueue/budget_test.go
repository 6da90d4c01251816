// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// TestBudgetBoundsWhatIsSpent: whatever work comes, in any number and size, a namespace spends no more than its
// allowance and one debt, each caller has its turn, none comes back often, and another namespace never waits.
func TestBudgetBoundsWhatIsSpent(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 200, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		const rate, burst, largest = 100, 200, 64
		clock := testingclock.NewFakePassiveClock(time.Unix(1_700_000_000, 0))
		b, began := NewBudget(clock, rate, burst), clock.Now()
		var come visits
		waiting := 1 + random.IntN(300)
		for i := range waiting {
			heap.Push(&come, visit{at: began, who: i, size: 1 + random.IntN(largest)})
		}
		spent, asked := 0, 0
		for come.Len() > 0 {
			v := heap.Pop(&come).(visit)
			clock.SetTime(v.at)
			asked++
			if turn := b.Turn("greedy", v.size); turn > 0 {
				v.at = v.at.Add(turn)
				heap.Push(&come, v)
				continue
			}
			b.Spend("greedy", v.size)
			spent += v.size
			if most := burst + largest + rate*clock.Since(began).Seconds(); float64(spent) > most+1 {
				t.Fatalf("seed %d: %d spent after %s; want at most %.0f", seed, spent, clock.Since(began), most)
			}
			if turn := b.Turn("other", 1); turn != 0 {
				t.Fatalf("seed %d: another namespace waits for %s", seed, turn)
			}
		}
		rounds := int(clock.Since(began)/maxTurn) + 3
		if asked > waiting*rounds {
			t.Fatalf("seed %d: %d asked %d times within %s; want at most %d", seed, waiting, asked, clock.Since(began), waiting*rounds)
		}
	})
}

type visit struct {
	at        time.Time
	who, size int
}

type visits []visit

func (v visits) Len() int { return len(v) }
func (v visits) Less(i, j int) bool {
	return v[i].at.Before(v[j].at) || v[i].at.Equal(v[j].at) && v[i].who < v[j].who
}
func (v visits) Swap(i, j int) { v[i], v[j] = v[j], v[i] }
func (v *visits) Push(x any)   { *v = append(*v, x.(visit)) }
func (v *visits) Pop() any {
	last := (*v)[len(*v)-1]
	*v = (*v)[:len(*v)-1]
	return last
}

// TestBudgetForgetsFullAccounts: accounts of namespaces that are quiet again, or gone, do not pile up.
func TestBudgetForgetsFullAccounts(t *testing.T) {
	t.Parallel()
	clock := testingclock.NewFakePassiveClock(time.Unix(1_700_000_000, 0))
	b := NewBudget(clock, 100, 200)
	for i := range 10 * manyAccounts {
		b.Spend(fmt.Sprintf("namespace-%d", i), 1)
		clock.SetTime(clock.Now().Add(20 * time.Millisecond))
	}
	if n := len(b.accounts); n > manyAccounts {
		t.Errorf("%d accounts are kept; want at most %d", n, manyAccounts)
	}
}

// TestBudgetWithAClockSetBack: an account neither earns nor loses by it.
func TestBudgetWithAClockSetBack(t *testing.T) {
	t.Parallel()
	clock := testingclock.NewFakePassiveClock(time.Unix(1_700_000_000, 0))
	b := NewBudget(clock, 100, 200)
	b.Spend("a", 300)
	clock.SetTime(clock.Now().Add(-time.Hour))
	if turn := b.Turn("a", 1); turn != 1010*time.Millisecond {
		t.Errorf("a debt of 100 is waited for during %s; want 1.01s", turn)
	}
}
