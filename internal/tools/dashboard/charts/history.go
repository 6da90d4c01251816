// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"time"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/usage"
)

const (
	// historyLength is the period of the charts of a queue, and historyStep the length of a step.
	historyLength = 6 * time.Hour
	historyStep   = 5 * time.Minute
	bytesPerGiB   = 1 << 30
)

// History is what grants in some queues held over time, in steps. It is computed from the attempts in the status of
// applications, so nothing has to be stored and a restart loses nothing.
type History struct {
	Span
	steps []usage.Amounts
}

// NewHistory returns an empty history that ends now.
func NewHistory(now time.Time) *History {
	from := now.Truncate(historyStep).Add(historyStep - historyLength)
	return &History{Span{from, now}, make([]usage.Amounts, historyLength/historyStep)}
}

// Of adds what an application held in some queues.
func (h *History) Of(app *v1alpha1.SparkApplication, within map[string]bool, now time.Time) {
	for _, r := range usage.RecordsOf(app, now) {
		if within[r.Queue] {
			h.Add(r)
		}
	}
}

// Add adds the average that an attempt held during its time.
func (h *History) Add(r usage.Record) {
	length := r.Until.Sub(r.From).Seconds()
	if length <= 0 {
		return
	}
	held := r.Granted.Times(1 / length)
	for i := range h.steps {
		from := h.From.Add(time.Duration(i) * historyStep)
		until := from.Add(historyStep)
		if h.Until.Before(until) {
			until = h.Until // the last step is not over
		}
		whole := until.Sub(from).Seconds()
		if r.From.After(from) {
			from = r.From
		}
		if r.Until.Before(until) {
			until = r.Until
		}
		if whole > 0 {
			h.steps[i] = h.steps[i].Plus(held.Times(until.Sub(from).Seconds() / whole))
		}
	}
}

// Charts returns charts of cores, memory and accelerators, as far as any were held, with their quotas.
func (h *History) Charts(limits []v1.Usage) []Chart {
	quota := usage.Amounts{}
	for _, l := range limits {
		if l.Nominal == nil {
			continue
		}
		amount := l.Nominal.AsApproximateFloat64()
		switch {
		case l.Resource == "cpu":
			quota.CPU += amount
		case l.Resource == "memory":
			quota.Memory += amount / bytesPerGiB
		case usage.IsGPU(l.Resource):
			quota.GPU += amount
		}
	}
	var charts []Chart
	for _, part := range []struct {
		name  string
		limit float64
		of    func(usage.Amounts) float64
	}{
		{"Cores", quota.CPU, func(a usage.Amounts) float64 { return a.CPU }},
		{"Memory in GiB", quota.Memory, func(a usage.Amounts) float64 { return a.Memory }},
		{"GPUs", quota.GPU, func(a usage.Amounts) float64 { return a.GPU }},
	} {
		var points []Point
		total := 0.0
		for i, step := range h.steps {
			points = append(points, Point{h.From.Add(time.Duration(i) * historyStep), part.of(step)})
			total += part.of(step)
		}
		if total > 0 {
			charts = append(charts, Draw(part.name, points, h.Span, part.limit))
		}
	}
	return charts
}
