// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// maxEnded is how many ended Workloads of an asker are kept: as many as its status remembers attempts.
const maxEnded = 10

// Release releases what the key holds or asks for.
func (g *Gate) Release(ctx context.Context, key queueing.Key, how queueing.Release) error {
	g.mu.Lock()
	g.forgetAsk(key)
	delete(g.shown, key)
	g.mu.Unlock()
	if !g.workloads.Installed() {
		return nil // without the kind there are no Workloads; those that cannot be read are released when they can, which wakes their owners
	}
	if err := g.removeLost(ctx, key, g.shows); err != nil {
		return err
	}
	workloads, err := g.all(ctx, key)
	if err != nil {
		return err
	}
	for _, w := range workloads {
		if err := g.release(ctx, w, how); client.IgnoreNotFound(err) != nil {
			return err
		}
		if !finished(w) {
			g.rememberRelease(key)
		}
	}
	return nil
}

// removeLost deletes the Workloads of a key that the watch no longer shows although they exist. Otherwise nothing would
// release their quota.
func (c *writer) removeLost(ctx context.Context, key queueing.Key, shows func(*kueuev1.Workload) bool) error {
	t := c.tracker
	t.mu.Lock()
	lost := t.lost[key]
	delete(t.lost, key)
	t.mu.Unlock()
	for i, name := range lost {
		w := &kueuev1.Workload{}
		err := c.client.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, w)
		if owner, ours := keyOf(w); err == nil && ours && owner == key && !shows(w) {
			err = c.remove(ctx, w)
		}
		if client.IgnoreNotFound(err) != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.lost[key] = append(t.lost[key], lost[i:]...)
			return fmt.Errorf("delete Workload %s/%s, which has lost its labels: %w", key.Namespace, name, err)
		}
	}
	return nil
}

// all returns the Workloads of a key, including one that was just created.
func (g *Gate) all(ctx context.Context, key queueing.Key) ([]*kueuev1.Workload, error) {
	workloads := g.workloadsBy(uidIndex, uidOf(key))
	if g.unseenPods(key) > 0 {
		return g.live(ctx, key)
	}
	g.mu.Lock()
	name, pending := g.created[key]
	g.mu.Unlock()
	if !pending {
		return workloads, nil
	}
	w := &kueuev1.Workload{}
	err := g.o.Client.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, w)
	if owner, ours := keyOf(w); err == nil && ours && owner == key && g.workloads.Get(w.Namespace, w.Name) == nil {
		return append(workloads, w), nil
	}
	if err == nil || optionalkind.NotServed(err) {
		g.mu.Lock()
		delete(g.created, key)
		g.mu.Unlock()
		return workloads, nil
	}
	return nil, fmt.Errorf("read Workload %s/%s: %w", key.Namespace, name, err)
}

// live reads the Workloads of a key from the API server, because the watch has not shown some that were just created.
func (g *Gate) live(ctx context.Context, key queueing.Key) ([]*kueuev1.Workload, error) {
	list := &kueuev1.WorkloadList{}
	err := g.o.Client.List(ctx, list, client.InNamespace(key.Namespace), client.MatchingLabels{jobUIDLabel: key.UID})
	if err != nil && !optionalkind.NotServed(err) {
		return nil, fmt.Errorf("list the Workloads of %s: %w", key, err)
	}
	var workloads []*kueuev1.Workload
	for i := range list.Items {
		if owner, ours := keyOf(&list.Items[i]); ours && owner == key {
			workloads = append(workloads, &list.Items[i])
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.chunks, key)
	return workloads, nil
}

func (g *Gate) release(ctx context.Context, w *kueuev1.Workload, how queueing.Release) error {
	switch end := how.Ended; {
	case how.Reason == queueing.Deleted, isChunk(w):
		return g.remove(ctx, w)
	case finished(w), !w.DeletionTimestamp.IsZero():
		return g.removeFinalizer(ctx, w)
	case end != nil && reserved(w) && isOf(w, end.Run, end.Attempt):
		reason := kueuev1.WorkloadFinishedReasonFailed
		if end.Succeeded {
			reason = kueuev1.WorkloadFinishedReasonSucceeded
		}
		return g.end(ctx, w, reason, end.Message)
	case how.Reason == queueing.Abandoned:
		return g.remove(ctx, w)
	case how.Reason == queueing.Suspended:
		return g.hold(ctx, w, how.Message)
	case !reserved(w):
		return nil
	case !evicted(w):
		// Without hold, Kueue would give it quota again at once, for the pods that it describes, which are those of the
		// attempt that is over.
		return g.hold(ctx, w, how.Message)
	}
	_, err := g.patchStatus(ctx, w, requeued(w, how.Message, g.now()))
	return err
}

// hold keeps a Workload, and with it its age, without asking for quota. The quota that it has is released once Kueue
// knows that it is inactive. A Workload that a user has deactivated stays unchanged: the user decides when it asks
// again.
func (g *Gate) hold(ctx context.Context, w *kueuev1.Workload, message string) error {
	if !inactive(w) {
		after, no := w.DeepCopy(), false
		if after.Annotations == nil {
			after.Annotations = map[string]string{}
		}
		after.Annotations[heldAnnotation], after.Spec.Active = "true", &no
		var err error
		if w, err = g.patch(ctx, w, after); err != nil {
			return err
		}
	}
	if !reserved(w) {
		return nil
	}
	_, err := g.patchStatus(ctx, w, requeued(w, message, g.now()))
	return err
}

// requeued returns a Workload that was evicted, or is inactive, with its quota released, all of it for one write (kueue
// v0.19, pkg/controller/jobframework). After an eviction in favour of others, or because of failed nodes, it may get
// quota again at once; otherwise Kueue decides when (requeueAfter).
func requeued(w *kueuev1.Workload, message string, now metav1.Time) *kueuev1.Workload {
	after := w.DeepCopy()
	after.Status.Admission = nil
	requeue := metav1.Condition{Type: kueuev1.WorkloadRequeued, Status: metav1.ConditionFalse, Reason: kueuev1.WorkloadDeactivated, Message: message}
	if c := conditionOf(w, kueuev1.WorkloadEvicted); evicted(w) && !inactive(w) {
		requeue.Status, requeue.Reason = requeueAfter(c.Reason)
		requeue.Message, message = c.Message, c.Message
	}
	if !evicted(w) {
		after.Status.AdmissionChecks = resetChecks(after.Status.AdmissionChecks, now)
	}
	for _, c := range []metav1.Condition{
		requeue,
		{Type: kueuev1.WorkloadQuotaReserved, Status: metav1.ConditionFalse, Reason: "Pending", Message: givenBack + conditionMessage(message)},
		{Type: kueuev1.WorkloadAdmitted, Status: metav1.ConditionFalse, Reason: "NoReservation", Message: "The workload has no reservation"},
		podsReady(queueing.AttemptStarting),
	} {
		c.Message, c.LastTransitionTime, c.ObservedGeneration = conditionMessage(c.Message), now, w.Generation
		apimeta.SetStatusCondition(&after.Status.Conditions, c)
	}
	return after
}

// requeueAfter returns status and reason of the condition Requeued after an eviction. If it is False, the Workload waits
// until Kueue changes it, which happens for these reasons only (kueue v0.19, pkg/controller/core). A Workload that Kueue
// has deactivated for a cause, and that a user has activated again since, counts as deactivated by a user.
func requeueAfter(eviction string) (status metav1.ConditionStatus, reason string) {
	if strings.HasPrefix(eviction, kueuev1.WorkloadDeactivated) {
		eviction = kueuev1.WorkloadDeactivated
	}
	switch eviction {
	case kueuev1.WorkloadDeactivated, kueuev1.WorkloadEvictedByPodsReadyTimeout, kueuev1.WorkloadEvictedByAdmissionCheck,
		kueuev1.WorkloadEvictedByClusterQueueStopped, kueuev1.WorkloadEvictedByLocalQueueStopped:
		return metav1.ConditionFalse, eviction
	}
	return metav1.ConditionTrue, eviction
}

// resetChecks returns admission checks with none of them passed. Kueue resets them when it evicts. Otherwise checks
// that are Ready would let the next reservation pass, in whatever flavor, with the updates that they made for the pods
// of this one (kueue v0.19, pkg/workload/evict).
func resetChecks(checks []kueuev1.AdmissionCheckState, now metav1.Time) []kueuev1.AdmissionCheckState {
	for i := range checks {
		if c := &checks[i]; c.State == kueuev1.CheckStateReady {
			*c = kueuev1.AdmissionCheckState{
				Name: c.Name, State: kueuev1.CheckStatePending, Message: "Reset to Pending: the quota was given back", LastTransitionTime: now,
				RequeueAfterSeconds: c.RequeueAfterSeconds, RetryCount: c.RetryCount,
			}
		}
	}
	return checks
}

// conditionMessage returns a message that is valid for a condition: not empty, and at most 32,768 bytes.
func conditionMessage(message string) string {
	if message == "" {
		return "the attempt has ended"
	}
	return stabilise(message)
}

// Forget deletes the ended Workload of an attempt.
func (g *Gate) Forget(ctx context.Context, key queueing.Key, run, attempt int64) error {
	for _, w := range g.workloadsBy(uidIndex, uidOf(key)) {
		if finished(w) && isOf(w, run, attempt) {
			if err := g.remove(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// pruneFinished deletes the oldest ended Workloads of an asker if it has more than maxEnded. A failure is retried when
// the next one is pruned.
func (g *Gate) pruneFinished(ctx context.Context, key queueing.Key) {
	var over []*kueuev1.Workload
	for _, w := range g.workloadsBy(uidIndex, uidOf(key)) {
		if finished(w) && !isChunk(w) {
			over = append(over, w)
		}
	}
	for _, w := range over[:max(0, len(over)-maxEnded)] {
		if err := g.remove(ctx, w); err != nil {
			g.o.Log.Error(err, "Failed to delete an old Workload; will retry with the next one", "asker", key.String(), "workload", w.Name)
			return
		}
	}
}

// rememberRelease remembers for releasedTTL that a key was released. By then the watch must have shown it.
func (t *tracker) rememberRelease(key queueing.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.released[key] {
		return
	}
	t.released[key] = true
	over := t.clock.After(releasedTTL)
	go func() {
		<-over
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.released, key)
	}()
}
