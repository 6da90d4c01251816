// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

func newSignature(podSets []queueing.PodSet) *signature {
	return &signature{
		key: string(signatureKey(podSets)), podSets: podSets, elastic: slices.IndexFunc(podSets, isElastic), broken: queueing.BrokenPodSets(podSets),
	}
}

func isElastic(p queueing.PodSet) bool { return p.Least() < p.Count }

// minCount returns the minimum count of the elastic pod set, or 0 if there is none.
func (s *signature) minCount() int32 {
	if s.elastic < 0 {
		return 0
	}
	return s.podSets[s.elastic].Least()
}

// maxCount returns the maximum count of the elastic pod set, or 0 if there is none.
func (s *signature) maxCount() int32 {
	if s.elastic < 0 {
		return 0
	}
	return s.podSets[s.elastic].Count
}

// needsNoMoreThan reports whether the pod sets can be placed like those of the other signature and have no larger
// minimum needs.
func (s *signature) needsNoMoreThan(other *signature) bool {
	if len(s.podSets) != len(other.podSets) {
		return false
	}
	for i := range s.podSets {
		a, b := &s.podSets[i], &other.podSets[i]
		if !equalPlacements(a, b) {
			return false
		}
		for name, amount := range a.Requests {
			if quota.Times(a.Least(), amount) > quota.Times(b.Least(), b.Requests[name]) {
				return false
			}
		}
	}
	return true
}

// equalPlacements reports whether two pod sets may be placed in the same flavors.
func equalPlacements(a, b *queueing.PodSet) bool {
	sameToleration := func(a, b corev1.Toleration) bool { return a.MatchToleration(&b) }
	return a.Name == b.Name && slices.Equal(a.Flavors, b.Flavors) && maps.Equal(a.NodeSelector, b.NodeSelector) &&
		slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration)
}

// podCount returns the number of pods of a pod set if the elastic one has the given count.
func (s *signature) podCount(podSet int, elastic int32) int32 {
	if podSet == s.elastic {
		return elastic
	}
	return max(0, s.podSets[podSet].Count)
}

// amounts returns the needs of all pods in a placement if the elastic pod set has the given count. If the placement
// covers only the first pod sets, so does the result.
func (s *signature) amounts(where placement, elastic int32) []quota.Amount {
	var out []quota.Amount
	for i := range where {
		out = appendAmounts(out, where[i].Name, s.podCount(i, elastic), s.podSets[i].Requests)
	}
	return out
}

// grant returns the granted pod sets for a placement if the elastic pod set has the given count. They share the maps of
// the ask and the flavor. The pod set that may grow keeps the requested flavors.
func (s *signature) grant(where placement, elastic int32, mayGrow string) []queueing.PodSetGrant {
	out := make([]queueing.PodSetGrant, len(s.podSets))
	for i, p := range s.podSets {
		out[i] = queueing.PodSetGrant{
			Name: p.Name, Flavor: where[i].Name, Count: s.podCount(i, elastic), Requests: p.Requests,
			NodeSelector: where[i].NodeLabels, Tolerations: where[i].Tolerations,
		}
		if p.Name == mayGrow {
			out[i].Flavors = p.Flavors
		}
	}
	return out
}

// chargedAmounts returns what a grant charges. Pod sets without a flavor, which may run anywhere, are charged to the
// flavor unknown.
func chargedAmounts(g queueing.Grant, unknown string) []quota.Amount {
	var out []quota.Amount
	for _, p := range g.PodSets {
		out = appendAmounts(out, cmp.Or(p.Flavor, unknown), p.Count, p.Requests)
	}
	return out
}

// appendAmounts appends amounts in no particular order, because package quota sorts and sums them.
func appendAmounts(out []quota.Amount, flavor string, count int32, requests queueing.Resources) []quota.Amount {
	for name, amount := range requests {
		out = append(out, quota.Amount{Cell: quota.Cell{Flavor: flavor, Resource: name}, Value: quota.Times(count, amount)})
	}
	return out
}

// signatureKey encodes everything about the pod sets that determines whether and where they fit. Strings are quoted, so
// that different pod sets never have the same key.
func signatureKey(podSets []queueing.PodSet) []byte {
	b := make([]byte, 0, 128*len(podSets))
	var few [8]string // enough for nearly all pod sets, without an allocation
	for _, p := range podSets {
		b = strconv.AppendQuote(b, p.Name)
		b = strconv.AppendInt(append(b, ' '), int64(p.Count), 10)
		b = strconv.AppendInt(append(b, ' '), int64(p.Least()), 10)
		names := few[:0]
		for name := range p.Requests {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b = strconv.AppendQuote(append(b, ' '), name)
			b = strconv.AppendInt(append(b, '='), p.Requests[name], 10)
		}
		for _, f := range p.Flavors {
			b = strconv.AppendQuote(append(b, '@'), f)
		}
		for _, t := range p.Tolerations {
			b = appendToleration(append(b, '~'), t)
		}
		for _, name := range slices.Sorted(maps.Keys(p.NodeSelector)) {
			b = strconv.AppendQuote(append(b, '#'), name)
			b = strconv.AppendQuote(append(b, '='), p.NodeSelector[name])
		}
		b = append(b, ';')
	}
	return b
}

// appendToleration encodes a toleration without tolerationSeconds, which does not affect where a pod may start.
func appendToleration(b []byte, t corev1.Toleration) []byte {
	for _, s := range []string{t.Key, string(t.Operator), t.Value, string(t.Effect)} {
		b = strconv.AppendQuote(b, s)
	}
	return b
}
