// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math"
	"math/bits"
)

const (
	// Unlimited is the infinite quota. It stays the same when something is added or subtracted. A sum of quotas that
	// exceeds MaxAmount is Unlimited.
	Unlimited int64 = math.MaxInt64
	// MaxAmount is the largest amount that can be asked for. Larger needs count as this amount.
	MaxAmount = Unlimited - 1
)

// Plus returns the sum of two amounts, capped at MaxAmount. Negative amounts count as 0.
func Plus(a, b int64) int64 {
	a, b = max(0, a), max(0, b)
	if a > MaxAmount-b {
		return MaxAmount
	}
	return a + b
}

// Times returns count times an amount, capped at MaxAmount. Negative operands count as 0.
func Times(count int32, amount int64) int64 {
	if count <= 0 || amount <= 0 {
		return 0
	}
	if amount > MaxAmount/int64(count) {
		return MaxAmount
	}
	return int64(count) * amount
}

// satAdd returns the sum of two quotas, capped at Unlimited. b must not be negative; a may be.
func satAdd(a, b int64) int64 {
	if a == Unlimited || b == Unlimited || a > Unlimited-b {
		return Unlimited
	}
	return a + b
}

// satSub returns a − b for b ≥ 0, but not less than the smallest integer. Unlimited stays Unlimited.
func satSub(a, b int64) int64 {
	if a == Unlimited {
		return Unlimited
	}
	if b == Unlimited || a < math.MinInt64+b {
		return math.MinInt64
	}
	return a - b
}

// total is an exact sum of amounts. It is wider than an amount, so that subtracting is exact even after a sum that no
// amount can represent; 2^64 amounts fit.
type total struct{ high, low uint64 }

func (t *total) add(amount int64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(max(0, amount)), 0)
	t.high += carry
}

// sub subtracts an amount that was added before; the result is never negative.
func (t *total) sub(amount int64) {
	low, borrow := bits.Sub64(t.low, uint64(max(0, amount)), 0)
	if borrow > t.high {
		*t = total{}
		return
	}
	t.low, t.high = low, t.high-borrow
}

// addTotal adds another sum.
func (t *total) addTotal(other total) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, other.low, 0)
	t.high += other.high + carry
}

// amount returns the sum as an amount, capped at MaxAmount.
func (t *total) amount() int64 {
	if t.high > 0 || t.low > uint64(MaxAmount) {
		return MaxAmount
	}
	return int64(t.low)
}
