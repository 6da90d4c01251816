// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// create creates the Workload of an ask. The watch wakes the asker when it shows the Workload.
func (g *Gate) create(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	if err := g.removeStaleChunks(ctx, ask.Key, ask.Run, ask.Attempt); err != nil {
		return queueing.Verdict{}, err
	}
	w := workloadOf(ask, g.priorityOf(ask))
	err := g.o.Client.Create(ctx, w, client.FieldOwner(g.o.FieldOwner))
	switch {
	case err == nil:
		g.pruneFinished(ctx, ask.Key)
		g.rememberCreated(ask.Key, w.Name)
		return queueing.Verdict{}, nil
	case apierrors.IsAlreadyExists(err):
		return g.resolveExisting(ctx, ask)
	case optionalkind.NotServed(err), apierrors.IsMethodNotSupported(err): // the kinds are being removed
		g.retry(ask.Key)
		return notInstalled(), nil
	case optionalkind.WriteRefused(err):
		g.retry(ask.Key)
		return waiting(queueing.ReasonWaitingForGate, fmt.Sprintf("Workload %s could not be created; the operator will retry: %s", w.Name, stabilise(err.Error()))), nil
	}
	return queueing.Verdict{}, fmt.Errorf("create Workload %s: %w", client.ObjectKeyFromObject(w), err)
}

// resolveExisting checks who owns the existing Workload with the name that an ask needs. A Workload of another owner is
// never taken over.
func (g *Gate) resolveExisting(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	w := &kueuev1.Workload{}
	key := client.ObjectKey{Namespace: ask.Key.Namespace, Name: ask.Objects.Name}
	if err := g.o.Client.Get(ctx, key, w); err != nil {
		return queueing.Verdict{}, fmt.Errorf("read Workload %s: %w", key, err)
	}
	if owner, ok := keyOf(w); ok && owner.UID == ask.Key.UID {
		if g.workloads.Get(w.Namespace, w.Name) == nil && w.Labels[jobUIDLabel] != "" {
			g.rememberCreated(ask.Key, w.Name) // the watch will show it, unless it has lost our labels
		}
		g.retry(ask.Key)
		return queueing.Verdict{}, g.relabel(ctx, ask, w)
	}
	g.retry(ask.Key)
	whose := "no controller"
	if owner := metav1.GetControllerOfNoCopy(w); owner != nil {
		whose = owner.Kind + " " + owner.Name
	}
	return waiting(queueing.ReasonWaitingForGate,
		fmt.Sprintf("Workload %s already exists and belongs to %s; delete it, or choose another name for %s", w.Name, whose, ask.Key)), nil
}

// relabel restores the labels by which a Workload of ours is watched, if they were removed.
func (g *Gate) relabel(ctx context.Context, ask queueing.Ask, w *kueuev1.Workload) error {
	after := changed(w, workloadOf(ask, nil))
	after.Spec = w.Spec
	after.Annotations = w.Annotations
	_, err := g.patch(ctx, w, after)
	return err
}

// rememberCreated remembers a created Workload until the watch shows it.
func (g *Gate) rememberCreated(key queueing.Key, name string) {
	if g.workloads.Get(key.Namespace, name) != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.created[key] = name
	delete(g.released, key)
}

// change makes a Workload without quota equal to an ask. A Workload for an earlier place in the queue is deleted
// instead, and another one will follow, because otherwise the changed Workload would keep the age of the old one.
func (g *Gate) change(ctx context.Context, ask queueing.Ask, w, wanted *kueuev1.Workload) error {
	if queueing.LaterPlace(w.Annotations, wanted.Annotations) {
		return g.remove(ctx, w)
	}
	if err := g.removeStaleChunks(ctx, ask.Key, ask.Run, ask.Attempt); err != nil {
		return err
	}
	answer, err := g.patch(ctx, w, changed(w, wanted))
	if err == nil {
		g.recordAsk(answer)
	}
	return err
}

// afterEnd handles a Workload of the attempt that ended before any pod of the attempt was created, and that blocks the
// name for a new one. If it could not start, it is kept as long as the reason persists.
func (g *Gate) afterEnd(ctx context.Context, ask queueing.Ask, w *kueuev1.Workload) (queueing.Verdict, error) {
	end := conditionOf(w, kueuev1.WorkloadFinished)
	same := w.Annotations[fingerprintAnnotation] == workloadOf(ask, g.priorityOf(ask)).Annotations[fingerprintAnnotation]
	if end.Reason == failedToStart && same && w.Status.Admission != nil {
		if v := granted(ask, w, g.around(ask, w)); v.conflict {
			return v.Verdict, g.removeFinalizer(ctx, w)
		}
	}
	return queueing.Verdict{}, g.remove(ctx, w)
}

// failedToStart is Kueue's reason for a Workload that ended because its admission could not be used.
const failedToStart = "FailedToStart"

// end writes how a Workload ended, and then removes our finalizer.
func (g *Gate) end(ctx context.Context, w *kueuev1.Workload, reason, message string) error {
	answer, err := g.patchStatus(ctx, w, ended(w, metav1.Condition{Reason: reason, Message: conditionMessage(message), LastTransitionTime: g.now()}))
	if err != nil {
		return err
	}
	return g.removeFinalizer(ctx, answer)
}

// ended returns a copy of a Workload with the condition Finished.
func ended(w *kueuev1.Workload, how metav1.Condition) *kueuev1.Workload {
	after := w.DeepCopy()
	how.Type, how.Status, how.ObservedGeneration = kueuev1.WorkloadFinished, metav1.ConditionTrue, w.Generation
	apimeta.SetStatusCondition(&after.Status.Conditions, how)
	return after
}
