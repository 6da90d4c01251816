// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// placementSearch searches placements of pod sets in flavors, in order of preference, pod set by pod set. It gives up a
// flavor as soon as the pod sets so far do not fit.
type placementSearch struct {
	hierarchy *hierarchy
	queue     *queue
	signature *signature
	// usable are the flavors of each pod set.
	usable [][]*FlavorConfig
	// fits reports whether the need of some of the pod sets is met.
	fits func(quota.Vector) bool
	// most is how many placements are wanted, and steps how many more choices of a flavor may be tried.
	most, steps int
	found       []placement
	// cut: there may be more placements than were found.
	cut bool
}

// The number of choices that are tried: to find what a queue could ever hold, once, and what it can hold now, whenever
// an ask is looked at.
const (
	maxPlacementSteps    = 20_000
	maxPlacementStepsNow = 1_000
)

// preferred returns each pod set in its first flavor.
func (ps *placementSearch) preferred() placement {
	var out placement
	for _, flavors := range ps.usable {
		out = append(out, flavors[0])
	}
	return out
}

// severalFlavors reports whether there is more than one placement.
func (ps *placementSearch) severalFlavors() bool {
	return slices.ContainsFunc(ps.usable, func(flavors []*FlavorConfig) bool { return len(flavors) > 1 })
}

// run searches placements in which the minimum of pods fits.
func (ps *placementSearch) run(most, steps int, fits func(quota.Vector) bool) []placement {
	ps.most, ps.steps, ps.fits, ps.found, ps.cut = most, steps, fits, nil, false
	ps.extend(nil)
	return ps.found
}

// extend places the next pod set and all that follow.
func (ps *placementSearch) extend(where placement) {
	if len(where) == len(ps.usable) {
		ps.found = append(ps.found, slices.Clone(where))
		return
	}
	for _, flavor := range ps.usable[len(where)] {
		if ps.steps == 0 || len(ps.found) == ps.most {
			ps.cut = true
			return
		}
		ps.steps--
		longer := append(where, flavor)
		if ps.fits(ps.need(longer)) {
			ps.extend(longer)
		}
	}
}

// need returns the need of the pod sets that have been placed, with the minimum of pods.
func (ps *placementSearch) need(where placement) quota.Vector {
	return ps.hierarchy.forest.Prepare(ps.queue.node, ps.signature.amounts(where, ps.signature.minCount()))
}

// option returns a placement as an option of a class.
func (hr *hierarchy) option(class *equivalenceClass, where placement) option {
	n, s := class.queue.node, class.signature
	return option{
		where:   where,
		minNeed: hr.forest.Prepare(n, s.amounts(where, s.minCount())), maxNeed: hr.forest.Prepare(n, s.amounts(where, s.maxCount())),
	}
}

// optionAt returns a placement as an option of a class, with the flavors and quotas of now. It returns false if the pods
// can no longer be placed like that.
func (hr *hierarchy) optionAt(class *equivalenceClass, where placement) (option, bool) {
	same := func(a, b *FlavorConfig) bool { return a.Name == b.Name }
	if at := slices.IndexFunc(class.options, func(o option) bool { return slices.EqualFunc(o.where, where, same) }); at >= 0 {
		return class.options[at], true
	}
	if class.placements == nil {
		return option{}, false
	}
	now := make(placement, len(where))
	for i, f := range where {
		at := slices.IndexFunc(class.placements.usable[i], func(usable *FlavorConfig) bool { return same(usable, f) })
		if at < 0 {
			return option{}, false
		}
		now[i] = class.placements.usable[i][at]
	}
	return hr.option(class, now), true
}

// findOption looks for a placement that fits now beyond the options of a class that has more placements than options,
// and makes it the last option. It reports whether there is one.
func (hr *hierarchy) findOption(class *equivalenceClass) bool {
	if class.placements == nil {
		return false
	}
	n := class.queue.node
	found := class.placements.run(1, maxPlacementStepsNow, func(need quota.Vector) bool {
		_, blocked := hr.forest.Blocked(n, need)
		return !blocked
	})
	if len(found) == 0 {
		return false
	}
	class.options, class.plan = append(class.options[:min(len(class.options), maxOptions)], hr.option(class, found[0])), nil
	return true
}

// maxOptions bounds the ways to place a gang that are kept: sixteen flavors each for driver and executors.
const maxOptions = 256

// evaluate prepares a new class: its options, and whether it could ever be admitted.
func (hr *hierarchy) evaluate(class *equivalenceClass, access access) {
	q := class.queue
	if class.signature.broken != "" {
		class.inadmissible = negativeAsk(class.signature)
		return
	}
	if class.inadmissible = hr.queueInadmissible(q); class.isInadmissible() {
		return
	}
	switch access {
	case notSelected:
		class.inadmissible = notAllowed(q)
		return
	case withoutLimits:
		class.inadmissible = limitsNeeded(q)
		return
	case allowed:
	}
	search, bar := hr.placements(q, class.signature)
	if class.inadmissible = bar; class.isInadmissible() {
		return
	}
	for _, where := range search.run(maxOptions, maxPlacementSteps, func(need quota.Vector) bool {
		_, exceeds := hr.forest.Exceeds(q.node, need)
		return !exceeds
	}) {
		class.options = append(class.options, hr.option(class, where))
	}
	switch {
	case len(class.options) == 0 && search.cut:
		class.inadmissible = notFoundWithin(class, maxPlacementSteps)
	case len(class.options) == 0:
		class.inadmissible = hr.exceedsQuota(class, search)
	case search.cut:
		class.placements = search
	}
}
