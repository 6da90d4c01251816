// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Flavors are the existing flavors by name.
type Flavors map[string]*config.Flavor

// Usable returns those of the named flavors of a queue in which a pod set may be placed, in their order. If there are
// none, why says so.
func (fs Flavors) Usable(queue string, names []string, p queueing.PodSet) (usable []*config.Flavor, why string) {
	labelled := map[string]bool{}
	for _, name := range names {
		if f := fs[name]; f != nil {
			for key := range f.NodeLabels {
				labelled[key] = true
			}
		}
	}
	for _, name := range names {
		f := fs[name]
		reason := Mismatch(f, p, labelled)
		switch {
		case f == nil:
			reason = fmt.Sprintf("flavor %s does not exist", name)
		case len(p.Flavors) > 0 && !slices.Contains(p.Flavors, name):
			reason = fmt.Sprintf("flavor %s is not one of the requested flavors (%s)", name, phrases.List(p.Flavors))
		case reason == "":
			usable = append(usable, f)
			continue
		}
		if why == "" {
			why = fmt.Sprintf("no flavor of queue %s fits the %s pods: %s", queue, p.Name, reason)
		} else {
			why += "; " + reason
		}
	}
	return usable, why
}

// Mismatch returns why pods cannot run on the nodes of a flavor, or the empty string if they can. It checks only those
// labels of the pods' node selector that some flavor of the queue has; others are left to the scheduler.
func Mismatch(f *config.Flavor, p queueing.PodSet, labelled map[string]bool) string {
	if f == nil {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		if labelled[key] && f.NodeLabels[key] != p.NodeSelector[key] {
			return fmt.Sprintf("the pods select nodes with %s=%s, but nodes of flavor %s have %s", key, p.NodeSelector[key], f.Name,
				labelText(f, key))
		}
	}
	tolerations := append(slices.Clone(p.Tolerations), f.Tolerations...)
	hard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	taint, left := schedulinghelper.FindMatchingUntoleratedTaint(logr.Discard(), f.NodeTaints, tolerations, hard, false)
	if left {
		return fmt.Sprintf("nodes of flavor %s have the taint %s, which neither the pods nor the flavor tolerate", f.Name, taint.ToString())
	}
	return ""
}

func labelText(f *config.Flavor, key string) string {
	if value, has := f.NodeLabels[key]; has {
		return key + "=" + value
	}
	return "no such label"
}

// Search searches placements of pod sets in flavors, pod set by pod set in order of preference. It gives up a
// flavor as soon as the pod sets placed so far do not fit.
type Search struct {
	forest    *quota.Forest
	node      quota.NodeID
	signature *Signature
	// Usable holds the usable flavors of each pod set.
	Usable [][]*config.Flavor
	// fits reports whether the need of the pod sets placed so far can be met.
	fits func(quota.Vector) bool
	// most is how many placements are wanted, and steps how many more choices of a flavor may be tried.
	most, steps int
	found       []Choice
	// Cut is true if there may be more placements than were found.
	Cut bool
}

// Maximum numbers of choices to try: once, to find what a queue could ever hold, and each time an ask is evaluated, to
// find what it can hold now.
const (
	MaxPlacementSteps    = 20_000
	MaxPlacementStepsNow = 1_000
)

// NewSearch returns a search for placements of the pod sets in the flavors of a queue, which is the given node. If a pod
// set fits no flavor, the search is nil, and why says so.
func NewSearch(forest *quota.Forest, n quota.NodeID, s *Signature, usable func(queueing.PodSet) ([]*config.Flavor, string)) (search *Search, why string) {
	search = &Search{forest: forest, node: n, signature: s}
	for _, p := range s.PodSets {
		flavors, why := usable(p)
		if len(flavors) == 0 {
			return nil, why
		}
		search.Usable = append(search.Usable, flavors)
	}
	return search, ""
}

// Preferred returns the placement of each pod set in its first flavor.
func (ps *Search) Preferred() Choice {
	var out Choice
	for _, flavors := range ps.Usable {
		out = append(out, flavors[0])
	}
	return out
}

// SeveralFlavors reports whether a pod set has more than one usable flavor.
func (ps *Search) SeveralFlavors() bool {
	return slices.ContainsFunc(ps.Usable, func(flavors []*config.Flavor) bool { return len(flavors) > 1 })
}

// Run searches placements in which the minimum of pods fits. It finds no more than most and tries no more than steps
// choices.
func (ps *Search) Run(most, steps int, fits func(quota.Vector) bool) []Choice {
	ps.most, ps.steps, ps.fits, ps.found, ps.Cut = most, steps, fits, nil, false
	ps.extend(nil)
	return ps.found
}

// extend places the next pod set and all that follow.
func (ps *Search) extend(where Choice) {
	if len(where) == len(ps.Usable) {
		ps.found = append(ps.found, slices.Clone(where))
		return
	}
	for _, flavor := range ps.Usable[len(where)] {
		if ps.steps == 0 || len(ps.found) == ps.most {
			ps.Cut = true
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
func (ps *Search) need(where Choice) quota.Vector {
	return ps.forest.Prepare(ps.node, ps.signature.Amounts(where, ps.signature.MinCount()))
}

// Option is one placement of pod sets in flavors, with its minimum need.
type Option struct {
	Where   Choice
	MinNeed quota.Vector
}

// NewOption returns the option of pod sets in a placement.
func NewOption(forest *quota.Forest, n quota.NodeID, s *Signature, where Choice) Option {
	return Option{Where: where, MinNeed: forest.Prepare(n, s.Amounts(where, s.MinCount()))}
}
