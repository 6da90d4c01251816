// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// namesTried bounds how many names are tried for a chunk.
const namesTried = 5

// Resize asks Kueue for pods above the base gang by means of chunks, and returns what the chunks have. While the watch
// lags behind own writes, the holder's allocation stays unchanged.
func (g *Gate) Resize(ctx context.Context, key queueing.Key, held queueing.Grant, want queueing.ResizeRequest) queueing.Allocation {
	base := g.workloadFor(key, held.Run, held.Attempt)
	if !g.workloads.Installed() || base == nil || finished(base) {
		return queueing.Allocation{Grant: &held}
	}
	chunks := g.chunksOf(key, held.Run, held.Attempt)
	t := usageOf(chunks, g.placer(held, want))
	if g.watchIsBehind(base) || slices.ContainsFunc(chunks, g.watchIsBehind) {
		g.recordShown(key, nil) // forget what an earlier pass was shown: it may not have been written
		return queueing.Allocation{Grant: &held, Why: t.why(base)}
	}
	allocation := t.allocation(held)
	g.recordShown(key, chunks)
	err := g.adjust(ctx, &resizer{key: key, base: base, held: held, want: want, usage: t, ready: readyOf(chunks, held, want)})
	if err != nil && !apierrors.IsConflict(err) { // a conflict means that another client has changed a Workload, which the watch will show
		g.o.Log.Error(err, "Failed to request quota from Kueue for pods above the base gang", "asker", key.String())
		g.retry(key)
		allocation.Why = "the request to Kueue failed; the operator will retry: " + stabilise(err.Error())
		return allocation
	}
	if allocation.Why = t.why(base); t.placementErr != nil {
		g.retry(key)
	}
	return allocation
}

// Persisted releases what the chunks hold beyond the grant of the asker, for pods that are gone.
func (g *Gate) Persisted(ctx context.Context, key queueing.Key, grant queueing.Grant) {
	if !grant.MayResize() || !g.workloads.Installed() {
		return
	}
	byFlavor := map[string][]*kueuev1.Workload{}
	for _, w := range g.chunksOf(key, grant.Run, grant.Attempt) {
		if isPending(w) {
			continue // the grant never included it
		}
		if g.watchIsBehind(w) || !g.wasShown(key, w) {
			return // the next pass knows more
		}
		flavor := flavorOf(w)
		byFlavor[flavor] = append(byFlavor[flavor], w)
	}
	for flavor, chunks := range byFlavor {
		surplus := -elasticCount(grant, flavor)
		for _, w := range chunks {
			surplus += charged(w)
		}
		for _, s := range reclaims(chunks, surplus) {
			if err := g.applyReclaim(ctx, s); err != nil && !apierrors.IsConflict(err) {
				g.o.Log.Error(err, "Failed to return quota of pods to Kueue", "asker", key.String())
				g.retry(key)
			}
		}
	}
}

// applyReclaim releases what a chunk does not need. A chunk that was evicted asks again, and Kueue decides when it may
// get quota.
func (g *Gate) applyReclaim(ctx context.Context, s reclaim) error {
	w := s.chunk
	switch {
	case !w.DeletionTimestamp.IsZero():
		return g.removeFinalizer(ctx, w)
	case s.count < charged(w):
		after := w.DeepCopy()
		after.Status.ReclaimablePods = []kueuev1.ReclaimablePod{{
			Name: w.Status.Admission.PodSetAssignments[0].Name, Count: requestedCount(w) - charged(w) + s.count,
		}}
		_, err := g.patchStatus(ctx, w, after)
		return err
	case reclaimRequested(w) && reclaimable(w) == 0:
		_, err := g.patchStatus(ctx, w, requeued(w, "the pods have ended", g.now()))
		return err
	}
	return g.removeChunk(ctx, w)
}

// resizer is an attempt that may have pods above its base gang.
type resizer struct {
	key  queueing.Key
	base *kueuev1.Workload
	held queueing.Grant
	want queueing.ResizeRequest
	usage
	// ready are the chunks that have just become ready.
	ready []*kueuev1.Workload
}

// adjust reports the state of chunks to Kueue, creates chunks for what is wanted and not requested yet, and deletes
// pending chunks that are no longer wanted.
func (g *Gate) adjust(ctx context.Context, a *resizer) error {
	if err := g.removeStaleChunks(ctx, a.key, a.held.Run, a.held.Attempt); err != nil {
		return err
	}
	if err := g.markReady(ctx, a.ready); err != nil {
		return err
	}
	if evicted(a.base) || !a.base.DeletionTimestamp.IsZero() {
		return nil // the attempt is about to be stopped
	}
	for w, err := range a.unusable {
		if err := g.hold(ctx, w, err.Error()); err != nil {
			return err
		}
	}
	for _, w := range append(a.useless, a.surplus(a.want.Count)...) {
		if err := g.removeChunk(ctx, w); err != nil {
			return err
		}
	}
	unseen := g.unseenPods(a.key)
	if unseen > 0 {
		g.retry(a.key) // by then the watch shows them, or they were not created and are asked for again
	}
	if missing := int64(a.want.Count) - int64(a.asked) - int64(unseen); missing > 0 {
		return g.grow(ctx, a, int32(missing))
	}
	return nil
}

// grow creates chunks for missing pods.
func (g *Gate) grow(ctx context.Context, a *resizer, missing int32) error {
	whole := &kueuev1.Workload{} // the watch drops the pods, so read the whole Workload
	if err := g.o.Client.Get(ctx, client.ObjectKeyFromObject(a.base), whole); err != nil {
		return fmt.Errorf("read Workload %s: %w", client.ObjectKeyFromObject(a.base), err)
	}
	number := g.lastNumber(a.key)
	for _, count := range sizes(missing, a.want.Count) {
		var err error
		if number, err = g.createChunk(ctx, a, whole, number, count); err != nil {
			return err
		}
	}
	return nil
}

// createChunk creates a chunk with the first free number after last, and returns that number. base is the Workload of
// the base gang including its pods.
func (g *Gate) createChunk(ctx context.Context, a *resizer, base *kueuev1.Workload, last int, count int32) (int, error) {
	var err error
	for n := last + 1; n <= last+namesTried; n++ {
		chunk := chunkOf(base, a.want.PodSet, n, count)
		g.expect(a.key, chunk)
		err = g.o.Client.Create(ctx, chunk, client.FieldOwner(g.o.FieldOwner))
		switch {
		case err == nil:
			g.expectCreated(a.key, chunk, g.shows)
			return n, nil
		case !apierrors.IsAlreadyExists(err):
			if isDefiniteFailure(err) {
				g.unexpect(a.key, chunk)
			}
			return n, fmt.Errorf("create a Workload for %d pods: %w", count, err)
		}
		g.unexpect(a.key, chunk)
	}
	return last, fmt.Errorf("create a Workload for %d pods: %w", count, err)
}

// isDefiniteFailure reports whether an error of the API server proves that nothing was created.
func isDefiniteFailure(err error) bool {
	return optionalkind.NotServed(err) || apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}

// removeStaleChunks deletes the chunks of other attempts. A chunk created by a call without an answer may appear only
// after its attempt is over.
func (g *Gate) removeStaleChunks(ctx context.Context, key queueing.Key, run, attempt int64) error {
	for _, w := range g.workloadsBy(uidIndex, uidOf(key)) {
		if isChunk(w) && !isOf(w, run, attempt) && !g.watchIsBehind(w) {
			if err := g.removeChunk(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeChunk deletes a chunk, and remembers that until the watch shows it.
func (g *Gate) removeChunk(ctx context.Context, w *kueuev1.Workload) error {
	if err := g.remove(ctx, w); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workloads.Get(w.Namespace, w.Name) != nil {
		g.written[w.UID] = expectations.Deleted
	}
	return nil
}

// markReady reports to Kueue that all pods of these chunks are ready, so that their quota counts as in use.
func (g *Gate) markReady(ctx context.Context, chunks []*kueuev1.Workload) error {
	for _, w := range chunks {
		after := w.DeepCopy()
		apimeta.SetStatusCondition(&after.Status.Conditions, metav1.Condition{
			Type: kueuev1.WorkloadPodsReady, Status: metav1.ConditionTrue, Reason: kueuev1.WorkloadStarted, Message: "All its pods were ready together",
			LastTransitionTime: g.now(), ObservedGeneration: w.Generation,
		})
		if _, err := g.patchStatus(ctx, w, after); err != nil {
			return err
		}
	}
	return nil
}

// placer returns a function that returns what each pod of a chunk is charged, and where it is placed. If the flavor has
// changed since, pods that exist already keep the quota and the placement that they were given.
func (g *Gate) placer(held queueing.Grant, want queueing.ResizeRequest) func(*kueuev1.Workload) (*queueing.PodSetGrant, error) {
	template := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeSelector: want.NodeSelector}}
	each := queueing.PodSet{Name: want.PodSet}
	if base := basePods(held, want.PodSet); base != nil {
		each.Requests = base.Requests
	}
	return func(w *kueuev1.Workload) (*queueing.PodSetGrant, error) {
		set, err := assigner{w, g.flavor, template}.assigned(each, &w.Status.Admission.PodSetAssignments[0])
		if err != nil {
			if before := elasticPodSet(held, flavorOf(w)); before != nil {
				return before, nil
			}
			return nil, err
		}
		set.Annotations, set.SchedulingGates = nil, nil // they belong to one Workload, but a flavor may have several
		return set, nil
	}
}

// chunksOf returns the chunks of an attempt, oldest first.
func (m *mirror) chunksOf(key queueing.Key, run, attempt int64) []*kueuev1.Workload {
	all := m.workloadsBy(uidIndex, uidOf(key))
	chunks := slices.DeleteFunc(all, func(w *kueuev1.Workload) bool { return !isChunk(w) || !isOf(w, run, attempt) })
	slices.SortStableFunc(chunks, func(a, b *kueuev1.Workload) int { return numberOf(a.Name) - numberOf(b.Name) })
	return chunks
}

// lastNumber returns the highest number of any chunk of an asker.
func (g *Gate) lastNumber(key queueing.Key) int {
	last := 0
	for _, w := range g.workloadsBy(uidIndex, uidOf(key)) {
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

// unseenChunk is a chunk that was created, or may have been, and that the watch has not shown yet.
type unseenChunk struct {
	count int32
	at    time.Time
	// uid is empty until the call that creates the chunk has returned.
	uid types.UID
}

// expect records a chunk before it is created, because the answer may be lost.
func (t *tracker) expect(key queueing.Key, w *kueuev1.Workload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.chunks[key] == nil {
		t.chunks[key] = map[string]unseenChunk{}
	}
	t.chunks[key][w.Name] = unseenChunk{count: requestedCount(w), at: t.clock.Now()}
}

// expectCreated records that a chunk was created. The watch may show it already, or may still be about to report the
// deletion of an earlier chunk with the same name.
func (t *tracker) expectCreated(key queueing.Key, w *kueuev1.Workload, shows func(*kueuev1.Workload) bool) {
	t.expect(key, w)
	t.mu.Lock()
	defer t.mu.Unlock()
	if shows(w) {
		delete(t.chunks[key], w.Name)
		return
	}
	c := t.chunks[key][w.Name]
	c.uid = w.UID
	t.chunks[key][w.Name] = c
}

// unexpect drops the record of a chunk that was not created after all.
func (t *tracker) unexpect(key queueing.Key, w *kueuev1.Workload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.chunks[key], w.Name)
}

// unseenPods returns how many pods are requested by chunks that the watch has not shown yet. A chunk that is not shown
// within retryAfter counts as not created or as deleted again; if it appears after all, it is counted then.
func (t *tracker) unseenPods(key queueing.Key) int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var n int32
	for name, c := range t.chunks[key] {
		if t.clock.Since(c.at) >= retryAfter {
			delete(t.chunks[key], name)
			continue
		}
		n += c.count
	}
	if len(t.chunks[key]) == 0 {
		delete(t.chunks, key)
	}
	return n
}

// recordShown records the sizes of the chunks that the holder of a grant is shown. Pending chunks are left out, because
// whatever they get will be new to the holder.
func (t *tracker) recordShown(key queueing.Key, chunks []*kueuev1.Workload) {
	shown := make(map[types.UID]int32, len(chunks))
	for _, w := range chunks {
		if !isPending(w) {
			shown[w.UID] = charged(w)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shown[key] = shown
}

// wasShown reports whether the holder of a grant has seen the current size of a chunk.
func (t *tracker) wasShown(key queueing.Key, w *kueuev1.Workload) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, known := t.shown[key][w.UID]
	return known && n == charged(w)
}
