// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// BarWidth is the width of a bar, in the units of its numbers.
const BarWidth = 100

// Bar shows the usage of one resource. All numbers are between 0 and barWidth.
type Bar struct {
	Name string
	// Text describes the bar in words.
	Text string
	// Own is the used part of the quota, Borrowed what is used beyond it, Reserved the free quota that is reserved, and
	// Lent the part of the quota that other queues use.
	Own, Borrowed, Reserved, Lent float64
	// ReservedAt and LentAt are where Reserved and Lent begin; QuotaAt is where the quota ends.
	ReservedAt, LentAt, QuotaAt float64
	// Limited reports that there is a quota.
	Limited bool
	Usage   v1.Usage
	LentOut string
}

// BarsOf returns the bars of a queue. It leaves out the number of pods if that is not limited.
func BarsOf(q *v1alpha1.SparkQueue, usage []v1.Usage) []Bar {
	var bars []Bar
	for _, u := range usage {
		if u.Resource == "pods" && u.Nominal == nil {
			continue
		}
		bars = append(bars, BarOf(u, lentBy(q, u)))
	}
	return bars
}

// lentBy returns how much of a quota other queues use; nil if nothing.
func lentBy(q *v1alpha1.SparkQueue, u v1.Usage) *resource.Quantity {
	for i := range q.Status.Usage {
		if known := &q.Status.Usage[i]; known.Resource == u.Resource && known.Flavor == u.Flavor && known.Lent != nil && !known.Lent.IsZero() {
			return known.Lent
		}
	}
	return nil
}

// BarOf returns the bar of one resource, of whose quota other queues use lent; nil for nothing.
func BarOf(u v1.Usage, lent *resource.Quantity) Bar {
	b := Bar{Name: printer.ResourceText(u), Usage: u, Text: amounts.Text(u.Used) + " used, no limit"}
	if u.Nominal == nil {
		return b
	}
	b.Limited = true
	b.Text = fmt.Sprintf("%s of %s used", amounts.Text(u.Used), amounts.Text(*u.Nominal))
	used, nominal := u.Used.AsApproximateFloat64(), u.Nominal.AsApproximateFloat64()
	borrowed, reserved := b.also(u.Borrowed, "borrowed"), b.also(u.Reserved, "reserved")
	borrowed = min(used, borrowed)
	whole := max(used+reserved, nominal)
	if whole <= 0 {
		return b
	}
	part := func(amount float64) float64 { return amount / whole * BarWidth }
	b.Own, b.Borrowed, b.QuotaAt = part(used-borrowed), part(borrowed), part(nominal)
	b.Reserved, b.ReservedAt = part(reserved), part(used)
	if lent != nil {
		b.LentOut = amounts.Text(*lent)
		b.Lent = part(min(b.also(lent, "lent"), max(0, nominal-used-reserved)))
		b.LentAt = part(nominal) - b.Lent
	}
	return b
}

// also adds an amount to the text of a bar and returns it; 0 if there is none.
func (b *Bar) also(amount *resource.Quantity, what string) float64 {
	if amount == nil || amount.IsZero() {
		return 0
	}
	b.Text += fmt.Sprintf(", %s %s", amounts.Text(*amount), what)
	return amount.AsApproximateFloat64()
}
