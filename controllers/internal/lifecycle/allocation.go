// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// sharing divides the room of a grant among the executors that are there.
type sharing struct {
	crew
	room *queueing.Room
	// grant is what is to stand in the status.
	grant    queueing.Grant
	releases []Release
	ending   []*pods.Record
}

// has counts the pods of a flavor that the grant has room for; with only above, those above the base gang.
func (s *sharing) has(flavor string, onlyAbove bool) int32 {
	var n int32
	for i := range s.grant.PodSets {
		if p := &s.grant.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == flavor && (p.Elastic || !onlyAbove) {
			n += p.Count
		}
	}
	return n
}

// above is the set of a flavor above the base gang, which is made if there is none.
func (s *sharing) above(flavor string) *queueing.PodSetGrant {
	for i := range s.grant.PodSets {
		if p := &s.grant.PodSets[i]; p.Elastic && p.Flavor == flavor {
			return p
		}
	}
	s.grant.PodSets = append(s.grant.PodSets, queueing.PodSetGrant{
		Name: v1alpha1.ExecutorPodSet, Flavor: flavor, Requests: amounts.ClampAll(s.base.Requests), Elastic: true,
	})
	return &s.grant.PodSets[len(s.grant.PodSets)-1]
}

// takeOver charges pods that have passed the gate without room in the grant: somebody else has lifted it.
func (s *sharing) takeOver() {
	for _, flavor := range slices.Sorted(maps.Keys(s.inside)) {
		if more := s.inside[flavor] - s.has(flavor, false); more > 0 {
			s.above(flavor).Count += more
		}
	}
}

// lift lets gated pods into what room there is, oldest first: that of the base gang, then the sets above it. What is asked back is no room.
func (s *sharing) lift() {
	waiting := s.gated
	for i := range s.grant.PodSets {
		p := &s.grant.PodSets[i]
		if p.Name != v1alpha1.ExecutorPodSet {
			continue
		}
		for _, u := range s.unanswered { // the same write again
			if u.flavor == p.Flavor && !s.lets(u.pod) {
				s.let(u.pod, p)
			}
		}
		free := s.has(p.Flavor, false) - s.room.GiveBackOf(p.Flavor) - s.inside[p.Flavor]
		if !p.Elastic {
			free = min(free, p.Count)
		}
		for range min(max(0, free), int32(len(waiting))) {
			s.let(waiting[0], p)
			s.inside[p.Flavor]++
			waiting = waiting[1:]
		}
	}
}

// lets says that the gate of a pod is lifted.
func (s *sharing) lets(pod *pods.Record) bool {
	return slices.ContainsFunc(s.releases, func(r Release) bool { return r.Pod == pod })
}

// let has the gate of a pod lifted.
func (s *sharing) let(r *pods.Record, p *queueing.PodSetGrant) {
	s.releases = append(s.releases, Release{
		Pod: r, Flavor: p.Flavor, NodeSelector: p.NodeSelector, Tolerations: p.Tolerations, Labels: p.Labels,
	})
}

// giveBack drops what nobody uses above the base gang, and ends executors where more is asked back than that: those that are not ready
// first, then the newest.
func (s *sharing) giveBack() {
	for i := range s.grant.PodSets {
		p := &s.grant.PodSets[i]
		if !p.Elastic {
			continue
		}
		base := s.has(p.Flavor, false) - s.has(p.Flavor, true)
		most := base + p.Count - s.room.GiveBackOf(p.Flavor)
		p.Count = min(p.Count, max(0, s.inside[p.Flavor]-base))
		if tooMany := s.shares(s.stay[p.Flavor]) - max(0, most); s.room.GiveBackOf(p.Flavor) > 0 && tooMany > 0 {
			s.ending = append(s.ending, s.firstToEnd(s.stay[p.Flavor], tooMany)...)
		}
	}
	s.grant.PodSets = slices.DeleteFunc(s.grant.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic && p.Count == 0 })
}

// firstToEnd are the executors that end first, with so many shares or a few more.
func (s *sharing) firstToEnd(stay []*pods.Record, shares int32) []*pods.Record {
	ordered := slices.Clone(stay)
	slices.SortFunc(ordered, func(a, b *pods.Record) int {
		if a.Ready != b.Ready {
			if b.Ready {
				return -1
			}
			return 1
		}
		return byAge(b, a)
	})
	for i, r := range ordered {
		if shares -= s.share(r); shares <= 0 {
			return ordered[:i+1]
		}
	}
	return ordered
}
