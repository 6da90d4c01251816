// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Signature holds what asks with the same needs have in common. If one of them does not fit, none does.
type Signature struct {
	// Key is equal for equal signatures only.
	Key     string
	PodSets []queueing.PodSet
	// Elastic is the index of the pod set that may start with fewer pods, or -1.
	Elastic int
	// Broken describes a negative amount in the ask; empty if there is none.
	Broken string
}

// Choice holds the flavor for each pod set of a signature.
type Choice []*config.Flavor

// NewSignature returns the signature of pod sets, which it keeps.
func NewSignature(podSets []queueing.PodSet) *Signature {
	return &Signature{
		Key: string(signatureKey(podSets)), PodSets: podSets, Broken: queueing.BrokenPodSets(podSets),
		Elastic: slices.IndexFunc(podSets, func(p queueing.PodSet) bool { return p.Least() < p.Count }),
	}
}

// MinCount returns the minimum count of the elastic pod set, or 0 if there is none.
func (s *Signature) MinCount() int32 {
	if s.Elastic < 0 {
		return 0
	}
	return s.PodSets[s.Elastic].Least()
}

// MaxCount returns the maximum count of the elastic pod set, or 0 if there is none.
func (s *Signature) MaxCount() int32 {
	if s.Elastic < 0 {
		return 0
	}
	return s.PodSets[s.Elastic].Count
}

// podCount returns the number of pods of a pod set if the elastic one has the given count.
func (s *Signature) podCount(podSet int, elastic int32) int32 {
	if podSet == s.Elastic {
		return elastic
	}
	return max(0, s.PodSets[podSet].Count)
}

// Largest returns the largest count of the elastic pod set that fits, if its minimum does.
func (s *Signature) Largest(fits func(elastic int32) bool) int32 {
	good, bad := s.MinCount(), s.MaxCount()
	if bad > good && fits(bad) {
		return bad
	}
	for bad-good > 1 {
		if middle := good + (bad-good)/2; fits(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good
}

// Amounts returns the needs of all pods in a placement if the elastic pod set has the given count. If the placement
// covers only the first pod sets, so does the result.
func (s *Signature) Amounts(where Choice, elastic int32) []quota.Amount {
	var out []quota.Amount
	for i := range where {
		out = AppendAmounts(out, where[i].Name, s.podCount(i, elastic), s.PodSets[i].Requests)
	}
	return out
}

// Grant returns the granted pod sets for a placement if the elastic pod set has the given count. They share the maps of
// the ask and the flavor. The pod set that may grow keeps the requested flavors.
func (s *Signature) Grant(where Choice, elastic int32, mayGrow string) []queueing.PodSetGrant {
	out := make([]queueing.PodSetGrant, len(s.PodSets))
	for i, p := range s.PodSets {
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

// ChargedAmounts returns what a grant charges. Pod sets without a flavor, which may run anywhere, are charged to the
// flavor unknown.
func ChargedAmounts(g queueing.Grant, unknown string) []quota.Amount {
	var out []quota.Amount
	for _, p := range g.PodSets {
		out = AppendAmounts(out, cmp.Or(p.Flavor, unknown), p.Count, p.Requests)
	}
	return out
}

// AppendAmounts appends amounts in no particular order, because package quota sorts and sums them.
func AppendAmounts(out []quota.Amount, flavor string, count int32, requests queueing.Resources) []quota.Amount {
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
