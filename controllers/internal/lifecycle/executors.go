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
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// crew are the executors of the attempt.
type crew struct {
	// base is the pod set of the base gang.
	base *v1alpha1.PodSetGrant
	// allowed is what the grant has for each.
	allowed queueing.Resources
	// inside count the shares of the pods that have passed the gate and are not gone, by flavor; stay are those that are not being deleted.
	inside map[string]int32
	stay   map[string][]*pods.Record
	// gated are those that wait and fit the grant, oldest first; tooLarge those that do not fit.
	gated, tooLarge []*pods.Record
	// unanswered are those whose gates were lifted by a write without an answer: they count as let in, in these flavors.
	unanswered []unanswered
}

type unanswered struct {
	pod    *pods.Record
	flavor string
}

// newCrew sorts the executors of the attempt.
func newCrew(st *state) crew {
	c := crew{base: &v1alpha1.PodSetGrant{}, inside: map[string]int32{}, stay: map[string][]*pods.Record{}}
	for i := range st.s.Grant.PodSets {
		if p := &st.s.Grant.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && !p.Elastic {
			c.base = p
		}
	}
	c.allowed = amounts.ClampAll(c.base.Requests)
	for _, r := range st.currentPods() {
		if !isAttemptExecutor(st, r) {
			continue
		}
		flavor, released := st.o.Releasing[r.UID]
		switch {
		case r.Gate != nil && released:
			c.unanswered = append(c.unanswered, unanswered{r, flavor})
			c.enter(r, flavor)
		case r.Gate == nil:
			c.enter(r, cmp.Or(flavor, r.Flavor, c.base.Flavor))
		case r.Deleting:
		case tooLarge(r, c.allowed) != "":
			c.tooLarge = append(c.tooLarge, r)
		default:
			c.gated = append(c.gated, r)
		}
	}
	slices.SortFunc(c.gated, byAge)
	slices.SortFunc(c.tooLarge, byAge)
	slices.SortFunc(c.unanswered, func(a, b unanswered) int { return byAge(a.pod, b.pod) })
	return c
}

// isAttemptExecutor says that a pod is an executor that the driver of the attempt has made, on either side of the gate: labels alone can be those of
// another application, or written by anybody.
func isAttemptExecutor(st *state, r *pods.Record) bool {
	if r.Role != pods.Executor || !r.Active() {
		return false
	}
	return st.s.Driver != nil && st.s.Driver.UID != "" && r.OwnerUID == types.UID(st.s.Driver.UID)
}

// share is how many executors of the grant a pod that has passed the gate is worth: more than one if it is larger, as one that somebody
// has let in by hand, or resized.
func (c *crew) share(r *pods.Record) int32 {
	share := int64(1)
	for name, asks := range map[corev1.ResourceName]int64{corev1.ResourceCPU: r.CPU, corev1.ResourceMemory: r.Memory} {
		if most := c.allowed[string(name)]; most > 0 {
			share = max(share, (asks+most-1)/most)
		}
	}
	return int32(min(share, math.MaxInt16))
}

// shares are those of several pods.
func (c *crew) shares(of []*pods.Record) int32 {
	var n int32
	for _, r := range of {
		n += c.share(r)
	}
	return n
}

func (c *crew) enter(r *pods.Record, flavor string) {
	c.inside[flavor] += c.share(r)
	if !r.Deleting {
		c.stay[flavor] = append(c.stay[flavor], r)
	}
}

// byAge orders executors by the number that ends their names: Spark counts them.
func byAge(a, b *pods.Record) int {
	return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
}

// tooLarge names what a gated pod asks for beyond what the grant has for one; empty if it fits. The program may ask for larger executors
// than the spec says, by resource profiles.
func tooLarge(r *pods.Record, allowed queueing.Resources) string {
	for _, name := range slices.Sorted(maps.Keys(r.Gate.Requests)) {
		if asks := r.Gate.Requests[name]; asks > allowed[name] {
			most, wanted := amounts.Quantity(name, allowed[name]), amounts.Quantity(name, asks)
			return fmt.Sprintf("%s %s, and each executor has %s in the grant", name, wanted.String(), most.String())
		}
	}
	return ""
}
