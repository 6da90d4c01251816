// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/printer"
)

// barWidth is the width of a bar in its own units.
const barWidth = 100

// bar is the use of one resource, drawn. All numbers are parts of barWidth.
type bar struct {
	Name string
	// Text says the same as the bar.
	Text string
	// Own is what is used of the quota, Borrowed what is used above it, Reserved what is kept of what is free, Lent what
	// others use of the quota.
	Own, Borrowed, Reserved, Lent float64
	// ReservedAt is where Reserved begins, LentAt where Lent begins, QuotaAt where the quota ends.
	ReservedAt, LentAt, QuotaAt float64
	// Limited: there is a quota to compare with.
	Limited bool
	Usage   v1.Usage
	LentOut string
}

// barsOf returns the bars of a queue. The number of pods is left out where nothing limits it.
func barsOf(q *v1alpha1.SparkQueue, usage []v1.Usage) []bar {
	var bars []bar
	for _, u := range usage {
		if u.Resource == "pods" && u.Nominal == nil {
			continue
		}
		bars = append(bars, barOf(u, lentBy(q, u)))
	}
	return bars
}

// lentBy returns what others use of a quota; nil for nothing.
func lentBy(q *v1alpha1.SparkQueue, u v1.Usage) *resource.Quantity {
	for i := range q.Status.Usage {
		if known := &q.Status.Usage[i]; known.Resource == u.Resource && known.Flavor == u.Flavor && known.Lent != nil && !known.Lent.IsZero() {
			return known.Lent
		}
	}
	return nil
}

func barOf(u v1.Usage, lent *resource.Quantity) bar {
	b := bar{Name: printer.ResourceText(u), Usage: u, Text: u.Used.String() + " used, no limit"}
	if u.Nominal == nil {
		return b
	}
	b.Limited = true
	b.Text = fmt.Sprintf("%s of %s used", u.Used.String(), u.Nominal.String())
	used, nominal := u.Used.AsApproximateFloat64(), u.Nominal.AsApproximateFloat64()
	borrowed, reserved := b.also(u.Borrowed, "borrowed"), b.also(u.Reserved, "reserved")
	borrowed = min(used, borrowed)
	whole := max(used+reserved, nominal)
	if whole <= 0 {
		return b
	}
	part := func(amount float64) float64 { return amount / whole * barWidth }
	b.Own, b.Borrowed, b.QuotaAt = part(used-borrowed), part(borrowed), part(nominal)
	b.Reserved, b.ReservedAt = part(reserved), part(used)
	if lent != nil {
		b.LentOut = lent.String()
		b.Lent = part(min(b.also(lent, "lent"), max(0, nominal-used-reserved)))
		b.LentAt = part(nominal) - b.Lent
	}
	return b
}

// also names an amount in the text of a bar, and returns it; 0 for none.
func (b *bar) also(amount *resource.Quantity, what string) float64 {
	if amount == nil || amount.IsZero() {
		return 0
	}
	b.Text += fmt.Sprintf(", %s %s", amount.String(), what)
	return amount.AsApproximateFloat64()
}
