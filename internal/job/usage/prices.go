// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Prices is a price list: the prices of an hour, in one currency.
type Prices struct {
	// Currency is printed beside the costs, such as EUR. Default: none.
	Currency string `json:"currency,omitempty"`
	// Default has the prices for queues without prices of their own.
	Default Price `json:"default"`
	// Queues has the prices of queues, by name. A price that is left out is the default one.
	Queues map[string]Price `json:"queues,omitempty"`
}

// Price has the price of an hour of each resource. Default: nothing.
type Price struct {
	CoreHour *float64 `json:"coreHour,omitempty"`
	GiBHour  *float64 `json:"gibHour,omitempty"`
	GPUHour  *float64 `json:"gpuHour,omitempty"`
}

// maxPrice is the highest price of an hour; a higher one is taken for a mistake.
const maxPrice = 1e6

// ParsePrices reads a price list in YAML. Its errors name the field, the value and the remedy.
func ParsePrices(text []byte) (*Prices, error) {
	var p Prices
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		return nil, fmt.Errorf("invalid price list: %w; fields are currency, default and queues.NAME, each of the latter with coreHour, gibHour and gpuHour",
			err)
	}
	if len(p.Currency) > 8 || strings.ContainsFunc(p.Currency, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, fmt.Errorf("invalid price list: currency: %q is not a currency; use at most 8 letters, such as EUR", p.Currency)
	}
	if err := p.Default.check("default"); err != nil {
		return nil, err
	}
	for _, queue := range slices.Sorted(maps.Keys(p.Queues)) {
		if err := p.Queues[queue].check("queues." + queue); err != nil {
			return nil, err
		}
	}
	if p.Default == (Price{}) && len(p.Queues) == 0 {
		return nil, fmt.Errorf("invalid price list: default: it has no price; set default.coreHour, default.gibHour or default.gpuHour")
	}
	return &p, nil
}

func (p Price) check(field string) error {
	for _, part := range []struct {
		name  string
		value *float64
	}{{"coreHour", p.CoreHour}, {"gibHour", p.GiBHour}, {"gpuHour", p.GPUHour}} {
		if v := part.value; v != nil && (math.IsNaN(*v) || *v < 0 || *v > maxPrice) {
			return fmt.Errorf("invalid price list: %s.%s: %v is not a price; use a number from 0 to %v", field, part.name, *v, maxPrice)
		}
	}
	return nil
}

// of returns the prices of a queue, with the default ones where it has none of its own.
func (p *Prices) of(queue string) Price {
	own := p.Queues[queue]
	for _, part := range []struct{ own, other **float64 }{
		{&own.CoreHour, &p.Default.CoreHour}, {&own.GiBHour, &p.Default.GiBHour}, {&own.GPUHour, &p.Default.GPUHour},
	} {
		if *part.own == nil {
			*part.own = *part.other
		}
	}
	return own
}

// cost returns the cost of amounts in hours.
func (p Price) cost(hours Amounts) float64 {
	total := 0.0
	for _, part := range []struct {
		price *float64
		hours float64
	}{{p.CoreHour, hours.CPU}, {p.GiBHour, hours.Memory}, {p.GPUHour, hours.GPU}} {
		if part.price != nil {
			total += *part.price * part.hours
		}
	}
	return total
}
