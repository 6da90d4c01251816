// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// placementSearch searches placements of pod sets in flavors, pod set by pod set in order of preference. It gives up a
// flavor as soon as the pod sets placed so far do not fit.
type placementSearch struct {
	hierarchy *hierarchy
	queue     *queue
	signature *signature
	// usable holds the usable flavors of each pod set.
	usable [][]*config.Flavor
	// fits reports whether the need of the pod sets placed so far can be met.
	fits func(quota.Vector) bool
	// most is how many placements are wanted, and steps how many more choices of a flavor may be tried.
	most, steps int
	found       []placement
	// cut is true if there may be more placements than were found.
	cut bool
}

// Maximum numbers of choices to try: once, to find what a queue could ever hold, and each time an ask is evaluated, to
// find what it can hold now.
const (
	maxPlacementSteps    = 20_000
	maxPlacementStepsNow = 1_000
)

// preferred returns the placement of each pod set in its first flavor.
func (ps *placementSearch) preferred() placement {
	var out placement
	for _, flavors := range ps.usable {
		out = append(out, flavors[0])
	}
	return out
}

// severalFlavors reports whether a pod set has more than one usable flavor.
func (ps *placementSearch) severalFlavors() bool {
	return slices.ContainsFunc(ps.usable, func(flavors []*config.Flavor) bool { return len(flavors) > 1 })
}

// run searches placements in which the minimum of pods fits. It finds no more than most and tries no more than steps
// choices.
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

// need returns the need of the pod sets placed so far, with the minimum of pods.
func (ps *placementSearch) need(where placement) quota.Vector {
	return ps.hierarchy.forest.Prepare(ps.queue.node, ps.signature.amounts(where, ps.signature.minCount()))
}

// option converts a placement to an option of a class.
func (hr *hierarchy) option(class *equivalenceClass, where placement) option {
	n, s := class.queue.node, class.signature
	return option{
		where:   where,
		minNeed: hr.forest.Prepare(n, s.amounts(where, s.minCount())), maxNeed: hr.forest.Prepare(n, s.amounts(where, s.maxCount())),
	}
}

// optionAt converts a placement to an option of a class, with the current flavors and quotas. It returns false if the
// pods can no longer be placed like that.
func (hr *hierarchy) optionAt(class *equivalenceClass, where placement) (option, bool) {
	same := func(a, b *config.Flavor) bool { return a.Name == b.Name }
	if at := slices.IndexFunc(class.options, func(o option) bool { return slices.EqualFunc(o.where, where, same) }); at >= 0 {
		return class.options[at], true
	}
	if class.placements == nil {
		return option{}, false
	}
	now := make(placement, len(where))
	for i, f := range where {
		at := slices.IndexFunc(class.placements.usable[i], func(usable *config.Flavor) bool { return same(usable, f) })
		if at < 0 {
			return option{}, false
		}
		now[i] = class.placements.usable[i][at]
	}
	return hr.option(class, now), true
}

// findOption searches a placement that fits now, for a class that has more placements than options. It makes it the
// last option, and reports whether there is one.
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

// maxOptions bounds the options of a class: enough for sixteen flavors for each of two pod sets.
const maxOptions = 256

// evaluate initializes a new class with its options, or with the reason why it can never be admitted.
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
	search, verdict := hr.placements(q, class.signature)
	if class.inadmissible = verdict; class.isInadmissible() {
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
