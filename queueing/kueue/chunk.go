// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// A chunk is a Workload for pods above the base gang of an attempt, in addition to the Workload of the base gang. Kueue
// admits and evicts it separately:
//
//	wanted ──► created ──► pending ──► admitted: pods are ungated ──► reclaimable, pod by pod ──► deleted
//	             ▲                              │
//	             └── asks again ◄── pods have ended ◄── Evicted

// chunkAnnotation marks a chunk. Its value is the number of pods that the chunk asks for.
const chunkAnnotation = "sparkgate.io/chunk"

// chunkPriority is how much lower the priority of a chunk is than that of its base gang: the base gangs of all askers
// precede chunks, and chunks are evicted before base gangs. Users' classes have values of at most 1,000,000,000
// (Kubernetes, "Pod Priority and Preemption").
const chunkPriority = 1_000_000_000

// maxChunkShare bounds the size of a chunk to this fraction of what is wanted above the base gang, so that evicting a
// chunk does not release much more than needed, and few chunks are enough for many pods.
const maxChunkShare = 8

// requestedCount returns how many pods a chunk asks for.
func requestedCount(w *kueuev1.Workload) int32 {
	n, err := strconv.ParseInt(w.Annotations[chunkAnnotation], 10, 32)
	if err != nil {
		return 0 // a user has changed the annotation
	}
	return max(0, int32(n))
}

// charged returns how many pods of a chunk hold quota.
func charged(w *kueuev1.Workload) int32 {
	if finished(w) || !reserved(w) || w.Status.Admission == nil || len(w.Status.Admission.PodSetAssignments) == 0 {
		return 0
	}
	asked := requestedCount(w)
	has := asked
	if count := w.Status.Admission.PodSetAssignments[0].Count; count != nil {
		has = *count
	}
	return max(0, min(has, asked-reclaimable(w)))
}

// reclaimable returns how many pods of a chunk no longer need quota.
func reclaimable(w *kueuev1.Workload) int32 {
	var n int32
	for i := range w.Status.ReclaimablePods {
		n = plus(n, w.Status.ReclaimablePods[i].Count)
	}
	return n
}

// plus adds numbers of pods, and saturates because users may have written them.
func plus(a, b int32) int32 { return int32(min(math.MaxInt32, int64(a)+int64(max(0, b)))) }

// reclaimRequested reports whether Kueue or another client reclaims the quota of a chunk.
func reclaimRequested(w *kueuev1.Workload) bool {
	return charged(w) > 0 && (evicted(w) || inactive(w) || !w.DeletionTimestamp.IsZero())
}

// isPending reports whether pods cannot use a chunk yet, because it waits for quota or admission checks.
func isPending(w *kueuev1.Workload) bool {
	return charged(w) == 0 || !admitted(w) && !reclaimRequested(w)
}

// flavorOf returns the flavor of a chunk with quota.
func flavorOf(w *kueuev1.Workload) string {
	return flavorName(flavorsOf(&w.Status.Admission.PodSetAssignments[0]))
}

// chunkOf returns chunk number at, which asks for count pods and may get fewer. base is the Workload of the base gang
// including its pods.
func chunkOf(base *kueuev1.Workload, podSet string, at int, count int32) *kueuev1.Workload {
	active, least := true, int32(1)
	chunk := &kueuev1.Workload{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: base.Namespace, Name: chunkName(base, at), Labels: maps.Clone(base.Labels), OwnerReferences: base.OwnerReferences,
			Annotations: map[string]string{chunkAnnotation: number(int64(count))}, Finalizers: []string{kueuev1.ResourceInUseFinalizerName},
		},
		Spec: kueuev1.WorkloadSpec{QueueName: base.Spec.QueueName, Active: &active, Priority: lowered(base.Spec.Priority)},
	}
	provision(chunk, base.Annotations)
	for i := range base.Spec.PodSets {
		if set := base.Spec.PodSets[i].DeepCopy(); string(set.Name) == podSet {
			set.Count, set.MinCount, set.TopologyRequest = count, nil, nil
			if count > least {
				set.MinCount = &least
			}
			chunk.Spec.PodSets = []kueuev1.PodSet{*set}
		}
	}
	return chunk
}

func lowered(priority *int32) *int32 {
	var base int32
	if priority != nil {
		base = *priority
	}
	low := int32(max(math.MinInt32, int64(base)-chunkPriority))
	return &low
}

// chunkName returns the name of a chunk. The name of an attempt has at most 52 characters.
func chunkName(base *kueuev1.Workload, number int) string {
	return fmt.Sprintf("%s-x%d", base.Name, number)
}

// numberOf returns the number in the name of a chunk.
func numberOf(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndex(name, "-x")+2:])
	if err != nil {
		return 0
	}
	return n
}

// sizes divides missing pods among chunks and returns their sizes. wanted is the number of all pods wanted above the
// base gang.
func sizes(missing, wanted int32) []int32 {
	largest := max(1, (wanted+maxChunkShare-1)/maxChunkShare)
	var out []int32
	for ; missing > 0; missing -= largest {
		out = append(out, min(missing, largest))
	}
	return out
}

// usage is what the chunks of an attempt hold, by flavor.
type usage struct {
	sets     []queueing.PodSetGrant
	reclaims []queueing.Reclaim
	// asked counts the pods of all chunks, whether they hold quota or wait for it. pending are the chunks that wait,
	// oldest first.
	asked   int32
	pending []*kueuev1.Workload
	// useless are chunks that can no longer get quota.
	useless []*kueuev1.Workload
	// unusable are chunks with quota that the pods cannot use, and why.
	unusable map[*kueuev1.Workload]error
	// placementErr is why some chunks cannot be used for now.
	placementErr error
}

// usageOf sums up chunks. place returns the pod set of a chunk with quota, or an error if its pods cannot run there.
func usageOf(chunks []*kueuev1.Workload, place func(*kueuev1.Workload) (*queueing.PodSetGrant, error)) usage {
	t := usage{unusable: map[*kueuev1.Workload]error{}}
	for _, w := range chunks {
		has := charged(w)
		switch {
		case has == 0 && (finished(w) || !w.DeletionTimestamp.IsZero() || reclaimable(w) > 0):
			t.useless = append(t.useless, w)
			continue
		case isPending(w):
			t.asked = plus(t.asked, requestedCount(w))
			t.pending = append(t.pending, w)
			continue
		}
		t.asked = plus(t.asked, has)
		set, err := place(w)
		var missing missingFlavor
		switch {
		case errors.As(err, &missing):
			t.placementErr = err
			continue
		case err != nil:
			t.unusable[w] = err
			continue
		}
		set.Count, set.Elastic = has, true
		t.add(set)
		if reclaimRequested(w) {
			t.reclaims = append(t.reclaims, queueing.Reclaim{Flavor: set.Flavor, Count: has, Why: *evictionOf(w)})
		}
	}
	return t
}

func (t *usage) add(set *queueing.PodSetGrant) {
	if same := elastic(t.sets, set.Flavor); same != nil {
		same.Count = plus(same.Count, set.Count)
		return
	}
	t.sets = append(t.sets, *set)
}

// allocation returns what the holder of a grant has through its chunks. What its status holds but no chunk has is
// reclaimed, because pods may still be using it.
func (t *usage) allocation(held queueing.Grant) queueing.Allocation {
	grant := held
	grant.PodSets = slices.DeleteFunc(slices.Clone(held.PodSets), func(p queueing.PodSetGrant) bool { return p.Elastic })
	allocation := queueing.Allocation{Grant: &grant, Reclaims: t.reclaims}
	for i := range t.sets {
		if t.sets[i].Count > elasticCount(held.PodSets, t.sets[i].Flavor) {
			grant.Resizes = held.Resizes + 1
		}
	}
	for i := range held.PodSets {
		p := held.PodSets[i]
		if lost := p.Count - elasticCount(t.sets, p.Flavor); p.Elastic && lost > 0 {
			p.Count = lost
			t.add(&p)
			allocation.Reclaims = append(allocation.Reclaims, queueing.Reclaim{Flavor: p.Flavor, Count: lost, Why: queueing.Eviction{
				Reason: queueing.ReasonPreempted, Message: "Kueue holds no quota for them: their Workload was deleted or finished, or their scheduling gate removed, by a user or another controller",
			}})
		}
	}
	grant.PodSets = append(grant.PodSets, t.sets...)
	return allocation
}

// basePods returns the part of a pod set in the base gang, or nil if there is none.
func basePods(g queueing.Grant, podSet string) *queueing.PodSetGrant {
	i := slices.IndexFunc(g.PodSets, func(p queueing.PodSetGrant) bool { return p.Name == podSet && !p.Elastic })
	if i < 0 {
		return nil
	}
	return &g.PodSets[i]
}

// elastic returns the pod set above the base gang in a flavor, or nil if there is none.
func elastic(sets []queueing.PodSetGrant, flavor string) *queueing.PodSetGrant {
	for i := range sets {
		if p := &sets[i]; p.Elastic && p.Flavor == flavor {
			return p
		}
	}
	return nil
}

// elasticCount returns the number of pods above the base gang in a flavor.
func elasticCount(sets []queueing.PodSetGrant, flavor string) int32 {
	if p := elastic(sets, flavor); p != nil {
		return p.Count
	}
	return 0
}

// surplus returns the pending chunks, newest first, that ask for more than is wanted, including those that have quota
// and wait for admission checks.
func (t *usage) surplus(wanted int32) []*kueuev1.Workload {
	var over []*kueuev1.Workload
	asked := t.asked
	for _, w := range slices.Backward(t.pending) {
		if n := requestedCount(w); asked-n >= wanted && !admitted(w) && !inactive(w) {
			over = append(over, w)
			asked -= n
		}
	}
	return over
}

// readyOf returns the chunks that should now be marked ready: all their pods are ready, as are those of the base gang
// and of older chunks.
func readyOf(chunks []*kueuev1.Workload, held queueing.Grant, want queueing.ResizeRequest) []*kueuev1.Workload {
	left := map[string]int32{} // want.Ready is nil while no pod is ready
	maps.Copy(left, want.Ready)
	if base := basePods(held, want.PodSet); base != nil {
		left[base.Flavor] -= base.Count
	}
	var out []*kueuev1.Workload
	for _, w := range chunks {
		if charged(w) == 0 || reclaimRequested(w) || !admitted(w) {
			continue
		}
		flavor := flavorOf(w)
		if left[flavor] -= charged(w); left[flavor] >= 0 && !isTrue(w, kueuev1.WorkloadPodsReady) {
			out = append(out, w)
		}
	}
	return out
}

// why returns why not everything that is wanted is there, or the empty string if nothing is waiting.
func (t *usage) why(base *kueuev1.Workload) string {
	for _, err := range t.unusable {
		return err.Error()
	}
	if t.placementErr != nil {
		return t.placementErr.Error()
	}
	for _, w := range t.pending {
		if why := whyPending(w, base); why != "" {
			return why
		}
	}
	if len(t.pending) > 0 && base.Status.Admission != nil {
		return fmt.Sprintf("ClusterQueue %s: %s", base.Status.Admission.ClusterQueue, notEvaluated(t.pending[0]))
	}
	return ""
}

// whyPending returns why a chunk waits, or the empty string if that is unknown.
func whyPending(w, base *kueuev1.Workload) string {
	c, backoff := conditionOf(w, kueuev1.WorkloadQuotaReserved), backoffOf(w)
	switch {
	case deactivated(w):
		return fmt.Sprintf("Workload %s was deactivated; set its spec.active to true to request quota again", w.Name)
	case reserved(w):
		return checksPending(w)
	case held(w) && c != nil:
		return strings.TrimPrefix(c.Message, givenBack)
	case backoff != "":
		return backoff
	case saysWhy(c) && base.Status.Admission != nil:
		return fmt.Sprintf("ClusterQueue %s: %s", base.Status.Admission.ClusterQueue, stabilise(c.Message))
	}
	return ""
}

// reclaim is what a chunk releases.
type reclaim struct {
	chunk *kueuev1.Workload
	// count is how many of its pods no longer need quota: all or some of them.
	count int32
}

// reclaims returns what the chunks of one flavor release when surplus pods no longer need quota: first the chunks that
// are being reclaimed, each as a whole, then the newest ones.
func reclaims(chunks []*kueuev1.Workload, surplus int32) []reclaim {
	back := slices.DeleteFunc(slices.Clone(chunks), func(w *kueuev1.Workload) bool { return !reclaimRequested(w) })
	slices.SortStableFunc(back, func(a, b *kueuev1.Workload) int { return cmp.Compare(charged(a), charged(b)) })
	var out []reclaim
	for _, w := range back {
		if charged(w) > surplus {
			return out // not all of its pods have ended yet
		}
		out = append(out, reclaim{w, charged(w)})
		surplus -= charged(w)
	}
	for _, w := range slices.Backward(chunks) {
		if less := min(surplus, charged(w)); less > 0 && !reclaimRequested(w) {
			out = append(out, reclaim{w, less})
			surplus -= less
		}
	}
	return out
}
