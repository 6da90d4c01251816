// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math"
	"testing"
)

func TestPlus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ a, b, want int64 }{
		"small":             {a: 2, b: 3, want: 5},
		"zero":              {a: 0, b: 0, want: 0},
		"up to the end":     {a: MaxAmount - 1, b: 1, want: MaxAmount},
		"beyond the end":    {a: MaxAmount, b: 1, want: MaxAmount},
		"both at the end":   {a: MaxAmount, b: MaxAmount, want: MaxAmount},
		"unlimited is cut":  {a: Unlimited, b: 0, want: MaxAmount},
		"negative counts 0": {a: -5, b: 7, want: 7},
		"both negative":     {a: -5, b: math.MinInt64, want: 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Plus(tc.a, tc.b); got != tc.want {
				t.Errorf("Plus(%d, %d) = %d, want %d", tc.a, tc.b, got, tc.want)
			}
			if got, turned := Plus(tc.a, tc.b), Plus(tc.b, tc.a); got != turned {
				t.Errorf("Plus is %d one way and %d the other", got, turned)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		count  int32
		amount int64
		want   int64
	}{
		"small":                {count: 3, amount: 896, want: 2688},
		"no pods":              {count: 0, amount: 896, want: 0},
		"no amount":            {count: 3, amount: 0, want: 0},
		"negative count":       {count: -1, amount: 5, want: 0},
		"negative amount":      {count: 5, amount: -1, want: 0},
		"one of the largest":   {count: 1, amount: MaxAmount, want: MaxAmount},
		"two of the largest":   {count: 2, amount: MaxAmount, want: MaxAmount},
		"just below the end":   {count: 2, amount: MaxAmount / 2, want: MaxAmount},
		"largest count of one": {count: math.MaxInt32, amount: 1, want: math.MaxInt32},
		"all largest":          {count: math.MaxInt32, amount: Unlimited, want: MaxAmount},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Times(tc.count, tc.amount); got != tc.want {
				t.Errorf("Times(%d, %d) = %d, want %d", tc.count, tc.amount, got, tc.want)
			}
		})
	}
}

func TestExtend(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ a, b, want int64 }{
		"small":                {a: 2, b: 3, want: 5},
		"unlimited absorbs":    {a: Unlimited, b: 3, want: Unlimited},
		"absorbs on the right": {a: 3, b: Unlimited, want: Unlimited},
		"deficit and plenty":   {a: -3, b: Unlimited, want: Unlimited},
		"too much":             {a: MaxAmount, b: 1, want: Unlimited},
		"a deficit is filled":  {a: -3, b: 5, want: 2},
		"least":                {a: math.MinInt64, b: MaxAmount, want: -2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := satAdd(tc.a, tc.b); got != tc.want {
				t.Errorf("extend(%d, %d) = %d, want %d", tc.a, tc.b, got, tc.want)
			}
		})
	}
}

func TestReduce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ a, b, want int64 }{
		"small":                 {a: 5, b: 3, want: 2},
		"below zero":            {a: 3, b: 5, want: -2},
		"unlimited stays":       {a: Unlimited, b: MaxAmount, want: Unlimited},
		"unlimited stays twice": {a: Unlimited, b: Unlimited, want: Unlimited},
		"all is taken":          {a: 3, b: Unlimited, want: math.MinInt64},
		"ends at the least":     {a: -3, b: MaxAmount, want: math.MinInt64},
		"largest deficit":       {a: 0, b: MaxAmount, want: -MaxAmount},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := satSub(tc.a, tc.b); got != tc.want {
				t.Errorf("reduce(%d, %d) = %d, want %d", tc.a, tc.b, got, tc.want)
			}
		})
	}
}

// Charges beyond MaxAmount can be removed exactly.
func TestTotalIsExact(t *testing.T) {
	t.Parallel()
	var sum total
	const times = 1000
	for range times {
		sum.add(MaxAmount)
	}
	sum.add(7)
	if got := sum.amount(); got != MaxAmount {
		t.Errorf("the sum of many is %d, want it to end at %d", got, MaxAmount)
	}
	for range times {
		sum.sub(MaxAmount)
	}
	if got := sum.amount(); got != 7 {
		t.Errorf("after taking back all but 7 the sum is %d", got)
	}
	sum.sub(7)
	if sum != (total{}) {
		t.Errorf("after taking back all the sum is %+v", sum)
	}
}

func TestTotalEndsAtZero(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ add, sub int64 }{
		"more than there is": {add: 3, sub: 5},
		"from nothing":       {add: 0, sub: 1},
		"negative is no-op":  {add: -1, sub: -1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum total
			sum.add(tc.add)
			sum.sub(tc.sub)
			if got := sum.amount(); got != 0 {
				t.Errorf("sum is %d, want 0", got)
			}
		})
	}
}

func TestTotalsJoin(t *testing.T) {
	t.Parallel()
	var a, b total
	for range 5 {
		a.add(MaxAmount)
		b.add(MaxAmount)
	}
	a.addTotal(b)
	for range 10 {
		a.sub(MaxAmount)
	}
	if a != (total{}) {
		t.Errorf("ten taken from five and five leave %+v", a)
	}
}
