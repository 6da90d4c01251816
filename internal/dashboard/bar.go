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
	// Own is what is used of the quota, Borrowed what is used above it, Lent what others use of it.
	Own, Borrowed, Lent float64
	// LentAt is where Lent begins, QuotaAt where the quota ends.
	LentAt, QuotaAt float64
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
	used, nominal, borrowed := u.Used.AsApproximateFloat64(), u.Nominal.AsApproximateFloat64(), 0.0
	if u.Borrowed != nil && !u.Borrowed.IsZero() {
		borrowed = min(used, u.Borrowed.AsApproximateFloat64())
		b.Text += fmt.Sprintf(", %s borrowed", u.Borrowed.String())
	}
	whole := max(used, nominal)
	if whole <= 0 {
		return b
	}
	part := func(amount float64) float64 { return amount / whole * barWidth }
	b.Own, b.Borrowed, b.QuotaAt = part(used-borrowed), part(borrowed), part(nominal)
	if lent != nil {
		b.LentOut = lent.String()
		b.Lent = part(min(lent.AsApproximateFloat64(), nominal-used+borrowed))
		b.LentAt = part(nominal) - b.Lent
		b.Text += fmt.Sprintf(", %s lent", b.LentOut)
	}
	return b
}
