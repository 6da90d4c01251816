// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// removed is the version of what was deleted and is still shown.
const removed = math.MaxUint64

// namesTried bounds the names that are tried for a chunk.
const namesTried = 5

// Resize asks Kueue for executors above the base gang by chunks, and says what the chunks have. While the watch lags behind own writes
// the holder has what it had.
func (g *Gate) Resize(ctx context.Context, key queueing.Key, held queueing.Grant, want queueing.Want) queueing.Room {
	unchanged := queueing.Room{Grant: &held}
	base := g.of(key, held.Run, held.Attempt)
	if !g.workloads.Installed() || base == nil || finished(base) {
		return unchanged
	}
	chunks := g.chunksOf(key, held.Run, held.Attempt)
	if g.behind(base) || slices.ContainsFunc(chunks, g.behind) {
		return unchanged
	}
	t := tallyOf(chunks, g.placer(held, want))
	room := t.room(held)
	g.show(key, chunks)
	err := g.markReady(ctx, readyOf(chunks, held, want.Ready))
	if err == nil && !evicted(base) && base.DeletionTimestamp.IsZero() {
		err = g.adjust(ctx, key, base, &t, want.Count)
	}
	if err != nil && !apierrors.IsConflict(err) { // else somebody has changed a Workload, and the watch will show it
		g.o.Log.Error(err, "ask Kueue for executors above the base gang", "application", key.String())
		g.retry(key)
		room.Why = "Kueue could not be asked, which is tried again: " + steady(err.Error())
		return room
	}
	if room.Why = t.why(base); t.stray != nil {
		g.retry(key)
	}
	return room
}

// Settle gives back what the grant of the application has less than its chunks: executors that are gone.
func (g *Gate) Settle(ctx context.Context, key queueing.Key, grant queueing.Grant) {
	if !g.workloads.Installed() {
		return
	}
	byFlavor := map[string][]*kueuev1.Workload{}
	for _, w := range g.chunksOf(key, grant.Run, grant.Attempt) {
		if charged(w) == 0 {
			continue
		}
		if g.behind(w) || !g.wasShown(key, w) {
			return // the next pass knows more
		}
		flavor := flavorOf(w)
		byFlavor[flavor] = append(byFlavor[flavor], w)
	}
	for flavor, chunks := range byFlavor {
		surplus := -above(grant, flavor)
		for _, w := range chunks {
			surplus += charged(w)
		}
		for _, s := range settlements(chunks, surplus) {
			if err := g.settle(ctx, s); err != nil && !apierrors.IsConflict(err) {
				g.o.Log.Error(err, "give quota of executors back to Kueue", "application", key.String())
				g.retry(key)
			}
		}
	}
}

// settle gives back what a chunk does not need. One that was evicted asks again: Kueue says when it may have quota.
func (g *Gate) settle(ctx context.Context, s settlement) error {
	w := s.chunk
	switch {
	case !w.DeletionTimestamp.IsZero():
		return g.strip(ctx, w)
	case s.less < charged(w):
		after := w.DeepCopy()
		after.Status.ReclaimablePods = []kueuev1.ReclaimablePod{{
			Name: v1alpha1.ExecutorPodSet, Count: askedFor(w) - charged(w) + s.less,
		}}
		_, err := g.patchStatus(ctx, w, after)
		return err
	case askedBack(w) && reclaimable(w) == 0:
		_, err := g.patchStatus(ctx, w, requeued(w, "the executors have ended", g.now()))
		return err
	}
	return g.removeChunk(ctx, w)
}

// adjust makes chunks for what is wanted and not asked for, and deletes those that wait for what is not wanted any more.
func (g *Gate) adjust(ctx context.Context, key queueing.Key, base *kueuev1.Workload, t *tally, wanted int32) error {
	for w, err := range t.unusable {
		if err := g.hold(ctx, w, err.Error()); err != nil {
			return err
		}
	}
	for _, w := range append(t.useless, t.surplus(wanted)...) {
		if err := g.removeChunk(ctx, w); err != nil {
			return err
		}
	}
	if missing := wanted - t.asked - g.unseen(key); missing > 0 {
		return g.grow(ctx, key, base, missing, wanted)
	}
	return nil
}

// grow makes chunks for executors that are missing.
func (g *Gate) grow(ctx context.Context, key queueing.Key, base *kueuev1.Workload, missing, wanted int32) error {
	whole := &kueuev1.Workload{} // the watch has it without pods
	if err := g.o.Client.Get(ctx, client.ObjectKeyFromObject(base), whole); err != nil {
		return fmt.Errorf("read Workload %s: %w", client.ObjectKeyFromObject(base), err)
	}
	number := g.lastNumber(key)
	for _, count := range sizes(missing, wanted) {
		var err error
		if number, err = g.makeChunk(ctx, key, whole, number, count); err != nil {
			return err
		}
	}
	return nil
}

// makeChunk makes a chunk with the first number after the last one whose name is free, and returns it.
func (g *Gate) makeChunk(ctx context.Context, key queueing.Key, base *kueuev1.Workload, last int, count int32) (int, error) {
	var err error
	for n := last + 1; n <= last+namesTried; n++ {
		chunk := chunkOf(base, n, count)
		err = g.o.Client.Create(ctx, chunk, client.FieldOwner(g.o.FieldOwner))
		if err == nil {
			g.madeChunk(key, chunk)
			return n, nil
		}
		if !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return last, fmt.Errorf("create a Workload for %d executors: %w", count, err)
}

// removeChunk deletes a chunk, and remembers that until the watch shows it.
func (g *Gate) removeChunk(ctx context.Context, w *kueuev1.Workload) error {
	if err := g.remove(ctx, w); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workloads.Get(w.Namespace, w.Name) != nil {
		g.written[w.UID] = removed
	}
	return nil
}

// markReady says of chunks that all their executors are ready, by which Kueue knows that the quota is used.
func (g *Gate) markReady(ctx context.Context, chunks []*kueuev1.Workload) error {
	for _, w := range chunks {
		after := w.DeepCopy()
		apimeta.SetStatusCondition(&after.Status.Conditions, metav1.Condition{
			Type: kueuev1.WorkloadPodsReady, Status: metav1.ConditionTrue, Reason: kueuev1.WorkloadStarted, Message: "All its executors were ready together",
			LastTransitionTime: g.now(), ObservedGeneration: w.Generation,
		})
		if _, err := g.patchStatus(ctx, w, after); err != nil {
			return err
		}
	}
	return nil
}

// placer says what each executor of a chunk has, and where it goes.
func (g *Gate) placer(held queueing.Grant, want queueing.Want) func(*kueuev1.Workload) (*queueing.PodSetGrant, error) {
	template := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeSelector: want.NodeSelector}}
	flavor := func(name string) *kueuev1.ResourceFlavor {
		f, _ := g.flavors.Get("", name).(*kueuev1.ResourceFlavor)
		return f
	}
	each := queueing.PodSet{Name: v1alpha1.ExecutorPodSet}
	for i := range held.PodSets {
		if p := &held.PodSets[i]; p.Name == each.Name && !p.Elastic {
			each.Requests = p.Requests
		}
	}
	return func(w *kueuev1.Workload) (*queueing.PodSetGrant, error) {
		set, err := assigner{w, flavor, template}.assigned(each, &w.Status.Admission.PodSetAssignments[0])
		var missing missingFlavor
		if errors.As(err, &missing) {
			if before := aboveIn(held, flavorOf(w)); before != nil {
				return before, nil
			}
		}
		if err != nil {
			return nil, err
		}
		set.Annotations, set.SchedulingGates = nil, nil // of one Workload; those of a flavor are several
		return set, nil
	}
}

// why says why there is not all that is wanted; empty if Kueue has not looked.
func (t *tally) why(base *kueuev1.Workload) string {
	for _, err := range t.unusable {
		return err.Error()
	}
	if t.stray != nil {
		return t.stray.Error()
	}
	for _, w := range t.pending {
		c := conditionOf(w, kueuev1.WorkloadQuotaReserved)
		switch {
		case inactive(w) && !held(w):
			return fmt.Sprintf("Workload %s was deactivated; set its spec.active to true and it asks again", w.Name)
		case reserved(w):
			return checksPending(w)
		case c != nil && c.Message != "" && base.Status.Admission != nil:
			return fmt.Sprintf("ClusterQueue %s: %s", base.Status.Admission.ClusterQueue, steady(c.Message))
		}
	}
	return ""
}

// chunksOf are the chunks of an attempt, oldest first.
func (g *Gate) chunksOf(key queueing.Key, run, attempt int64) []*kueuev1.Workload {
	all := g.by(uidIndex, key.UID)
	chunks := slices.DeleteFunc(all, func(w *kueuev1.Workload) bool { return !isChunk(w) || !isOf(w, run, attempt) })
	slices.SortStableFunc(chunks, func(a, b *kueuev1.Workload) int { return numberOf(a.Name) - numberOf(b.Name) })
	return chunks
}

// lastNumber is the highest number of a chunk of an application.
func (g *Gate) lastNumber(key queueing.Key) int {
	last := 0
	for _, w := range g.by(uidIndex, key.UID) {
		if isChunk(w) {
			last = max(last, numberOf(w.Name))
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name := range g.chunks[key] {
		last = max(last, numberOf(name))
	}
	return last
}

// unseenChunk is a chunk that was created and not seen yet.
type unseenChunk struct {
	count int32
	at    time.Time
}

// madeChunk remembers a chunk that the watch has not shown.
func (g *Gate) madeChunk(key queueing.Key, w *kueuev1.Workload) {
	if g.workloads.Get(w.Namespace, w.Name) != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.chunks[key] == nil {
		g.chunks[key] = map[string]unseenChunk{}
	}
	g.chunks[key][w.Name] = unseenChunk{askedFor(w), g.o.Clock.Now()}
}

// unseen is how many executors are asked for by chunks that the watch has not shown. What it does not show for long is gone again.
func (g *Gate) unseen(key queueing.Key) int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	var n int32
	for name, c := range g.chunks[key] {
		if g.o.Clock.Since(c.at) > leftTime {
			delete(g.chunks[key], name)
			continue
		}
		n += c.count
	}
	if len(g.chunks[key]) == 0 {
		delete(g.chunks, key)
	}
	return n
}

// show remembers what chunks have when the holder of a grant is told.
func (g *Gate) show(key queueing.Key, chunks []*kueuev1.Workload) {
	shown := make(map[types.UID]int32, len(chunks))
	for _, w := range chunks {
		shown[w.UID] = charged(w)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown[key] = shown
}

// wasShown says that the holder of a grant was told what a chunk has.
func (g *Gate) wasShown(key queueing.Key, w *kueuev1.Workload) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, known := g.shown[key][w.UID]
	return known && n == charged(w)
}
