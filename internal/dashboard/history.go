// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"time"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/internal/usage"
)

const (
	// historyLength is the period of the charts of a queue, and historyStep the length of a step.
	historyLength = 6 * time.Hour
	historyStep   = 5 * time.Minute
	bytesPerGiB   = 1 << 30
)

// history is what grants in some queues held over time, in steps. It is computed from the attempts in the status of
// applications, so nothing has to be stored and a restart loses nothing.
type history struct {
	span
	steps []usage.Amounts
}

// newHistory returns an empty history that ends now.
func newHistory(now time.Time) *history {
	from := now.Truncate(historyStep).Add(historyStep - historyLength)
	return &history{span{from, now}, make([]usage.Amounts, historyLength/historyStep)}
}

// of adds what an application held in some queues.
func (h *history) of(a *application, within map[string]bool, now time.Time) {
	app := a.used()
	for _, r := range usage.RecordsOf(&app, now) {
		if within[r.Queue] {
			h.add(r)
		}
	}
}

// add adds the average that an attempt held during its time.
func (h *history) add(r usage.Record) {
	length := r.Until.Sub(r.From).Seconds()
	if length <= 0 {
		return
	}
	held := r.Granted.Times(1 / length)
	for i := range h.steps {
		from := h.from.Add(time.Duration(i) * historyStep)
		until := from.Add(historyStep)
		if h.until.Before(until) {
			until = h.until // the last step is not over
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

// charts returns charts of cores, memory and accelerators, as far as any were held, with their quotas.
func (h *history) charts(limits []v1.Usage) []chart {
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
	var charts []chart
	for _, part := range []struct {
		name  string
		limit float64
		of    func(usage.Amounts) float64
	}{
		{"Cores", quota.CPU, func(a usage.Amounts) float64 { return a.CPU }},
		{"Memory in GiB", quota.Memory, func(a usage.Amounts) float64 { return a.Memory }},
		{"GPUs", quota.GPU, func(a usage.Amounts) float64 { return a.GPU }},
	} {
		var points []point
		total := 0.0
		for i, step := range h.steps {
			points = append(points, point{h.from.Add(time.Duration(i) * historyStep), part.of(step)})
			total += part.of(step)
		}
		if total > 0 {
			charts = append(charts, drawn(part.name, points, h.span, part.limit))
		}
	}
	return charts
}
