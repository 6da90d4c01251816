// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// executors are the executor pods of an attempt, sorted by the side of the scheduling gate that they are on.
type executors struct {
	// base is the executor pod set of the base gang.
	base *v1alpha1.PodSetGrant
	// allowed is what the grant has for each executor.
	allowed queueing.Resources
	// admittedCount is the weight, by flavor, of the pods that have passed the scheduling gate, or never had one, and are
	// not gone. admitted are those of them that are not being deleted, ending the others.
	admittedCount    map[string]int32
	admitted, ending map[string][]*pods.Record
	// gated are the pods behind the scheduling gate that fit the grant, oldest first; tooLarge those that do not fit.
	gated, tooLarge []*pods.Record
	// unanswered are pods that were ungated by a write which got no response. They count as admitted.
	unanswered []unanswered
}

// unanswered is a pod that was ungated by a write which got no response, and the flavor in which it was ungated.
type unanswered struct {
	pod    *pods.Record
	flavor string
}

// newExecutors sorts the executor pods of the current attempt.
func newExecutors(st *state) executors {
	c := executors{base: baseOf(st.s.Grant), admittedCount: map[string]int32{}, admitted: map[string][]*pods.Record{}, ending: map[string][]*pods.Record{}}
	c.allowed = amounts.ClampAll(c.base.Requests)
	for _, r := range st.currentPods() {
		if !isAttemptExecutor(st, r) || usesNothing(r, st.o.Ungating[r.UID]) {
			continue
		}
		flavor, released := st.o.Ungating[r.UID]
		switch {
		case r.SchedulingGate != nil && released:
			c.unanswered = append(c.unanswered, unanswered{r, flavor})
			c.addAdmitted(r, flavor)
		case r.SchedulingGate == nil:
			c.addAdmitted(r, cmp.Or(flavor, grantedFlavor(st.s.Grant, r), c.base.Flavor))
		case r.Deleting:
		case tooLarge(r, c.allowed) != "":
			c.tooLarge = append(c.tooLarge, r)
		default:
			c.gated = append(c.gated, r)
		}
	}
	for flavor := range c.admittedCount {
		c.admittedCount[flavor] = c.weights(slices.Concat(c.admitted[flavor], c.ending[flavor]))
	}
	slices.SortFunc(c.gated, byAge)
	slices.SortFunc(c.tooLarge, byAge)
	slices.SortFunc(c.unanswered, func(a, b unanswered) int { return byAge(a.pod, b.pod) })
	return c
}

// baseOf returns the executor pod set of the base gang, empty if there is none.
func baseOf(g *v1alpha1.Grant) *v1alpha1.PodSetGrant {
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && !p.Elastic {
			return p
		}
	}
	return &v1alpha1.PodSetGrant{}
}

// isAttemptExecutor reports whether a pod is an active executor that the driver of the attempt created. It checks the
// owner, because labels can be forged or belong to another application.
func isAttemptExecutor(st *state, r *pods.Record) bool {
	if r.Role != pods.Executor || !r.Active() {
		return false
	}
	return st.s.Driver != nil && st.s.Driver.UID != "" && r.OwnerUID == st.s.Driver.UID
}

// usesNothing reports whether a pod needs no quota: it has no node, and it never had the operator's scheduling gate,
// which would have left a flavor label. Without the guard, users can create any number of such pods, of any size.
func usesNothing(r *pods.Record, flavor string) bool {
	return r.SchedulingGate == nil && cmp.Or(flavor, r.Flavor) == "" && !r.OnNode()
}

// grantedFlavor returns the flavor in the label of an executor; empty if the grant has no executors in that flavor.
// Whoever may change the labels of pods, such as the driver, could otherwise have them charged to a flavor without
// quota.
func grantedFlavor(g *v1alpha1.Grant, r *pods.Record) string {
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == r.Flavor {
			return r.Flavor
		}
	}
	return ""
}

// weights returns for how many executors of the grant several pods count together. That is more than their number if
// those on nodes request more than was granted, as after a manual ungating or an in-place resize, or if the program sets
// their size.
func (c *executors) weights(of []*pods.Record) int32 {
	most := [...]int64{c.allowed[string(corev1.ResourceCPU)], c.allowed[string(corev1.ResourceMemory)]}
	var beyond [len(most)]int64
	for _, r := range of {
		for i, asks := range [len(most)]int64{r.CPU, r.Memory} {
			if r.OnNode() {
				beyond[i] += max(0, asks-most[i])
			}
		}
	}
	more := int64(0)
	for i := range most {
		if most[i] > 0 {
			more = max(more, (beyond[i]+most[i]-1)/most[i])
		}
	}
	return int32(min(int64(len(of))+more, math.MaxInt16))
}

// above returns the first pods of a list without which the others weigh at most as much as given.
func (c *executors) above(ordered []*pods.Record, most int32) []*pods.Record {
	for i := range ordered {
		if c.weights(ordered[i:]) <= most {
			return ordered[:i]
		}
	}
	return ordered
}

// addAdmitted counts a pod of a flavor that has passed the scheduling gate.
func (c *executors) addAdmitted(r *pods.Record, flavor string) {
	c.admittedCount[flavor] = 0 // counted once all are known
	if r.Deleting {
		c.ending[flavor] = append(c.ending[flavor], r)
		return
	}
	c.admitted[flavor] = append(c.admitted[flavor], r)
}

// byAge orders executors by the number at the end of their names, which Spark counts up.
func byAge(a, b *pods.Record) int {
	return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
}

// tooLarge returns what a gated pod requests beyond the grant for one executor; empty if it fits. With resource
// profiles, a program can request larger executors than the spec has.
func tooLarge(r *pods.Record, allowed queueing.Resources) string {
	if r.SchedulingGate.Excess != "" {
		return "more than an executor can have, as " + r.SchedulingGate.Excess
	}
	for _, name := range slices.Sorted(maps.Keys(r.SchedulingGate.Requests)) {
		if asks := r.SchedulingGate.Requests[name]; asks > allowed[name] {
			most, wanted := amounts.Quantity(name, allowed[name]), amounts.Quantity(name, asks)
			return fmt.Sprintf("%s %s, but the grant has %s for each executor", name, wanted.String(), most.String())
		}
	}
	return ""
}

// The operator creates the workers of a cluster as Spark creates executors: the master pod owns them, and all else of
// them is that of executors. They are numbered from 1, and the next worker of a number follows when the one before is
// gone. So two passes never create one too many, whatever the watch has shown.
