// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// failedToStart is Kueue's reason for a Workload that ended because its admission could not be used.
const failedToStart = "FailedToStart"

// requester makes the Workload of an ask equal to it, and says where it stands.
type requester struct {
	view    *view
	live    client.Reader
	writer  *writer
	unseen  *unseen
	cleaner *cleaner
	askers  *askers
}

func (q *requester) sync(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	q.askers.asks(ask.Key)
	if q.view.unreadable() {
		return unreadable(), nil
	}
	if !q.view.installed() {
		return notInstalled(), nil
	}
	v, err := q.request(ctx, ask)
	switch {
	case apierrors.IsConflict(err):
		return queueing.Verdict{}, nil // another client has changed the Workload, and the watch will show it
	case optionalkind.WriteRefused(err):
		q.askers.retry(ask.Key)
		return waiting(queueing.ReasonWaitingForGate, "the Workload could not be changed to what is asked for now; the operator will retry: "+stabilise(err.Error())), nil
	}
	if v.State == queueing.Granted {
		q.askers.left(ask.Key)
	}
	return v, err
}

func (q *requester) request(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	w := q.view.current(ask)
	switch {
	case w == nil:
		return q.create(ctx, ask)
	case q.writer.ahead(w):
		return queueing.Verdict{}, nil // the watch will show what was written
	case !w.DeletionTimestamp.IsZero():
		return queueing.Verdict{}, q.writer.removeFinalizer(ctx, w)
	case finished(w):
		return q.afterEnd(ctx, ask, w)
	case reserved(w) && (q.writer.isForEarlierAsk(w) || !mayKeep(w, ask)):
		return q.withdraw(ctx, ask, w)
	case !reserved(w) && !deactivated(w):
		if wanted := workloadOf(ask, q.view.priorityOf(ask)); differs(w, wanted) {
			return queueing.Verdict{}, q.change(ctx, ask, w, wanted)
		}
	}
	v, silent := verdictOf(ask, w, q.view.around(ask))
	if contradicts(v) {
		return v, q.writer.end(ctx, w, failedToStart, v.Message)
	}
	return q.askers.hideShortSilence(ask.Key, v, silent), nil
}

// isLeft reports whether the quota of a Workload must be released regardless of the ask. The quota of a held Workload
// was already being released.
func isLeft(w *kueuev1.Workload, ask queueing.Ask) bool {
	return evicted(w) || held(w) || !isOf(w, ask.Run, ask.Attempt)
}

// mayKeep reports whether the quota of a Workload can be used for an ask. If a user has deactivated the Workload, what
// happens to its quota is left to Kueue.
func mayKeep(w *kueuev1.Workload, ask queueing.Ask) bool {
	return !isLeft(w, ask) && (deactivated(w) || fulfils(w, ask))
}

// withdraw releases quota that does not match the ask. If it is waiting for admission checks, it was not granted,
// and Kueue does not allow changing the Workload, so the Workload is deleted and another one will replace it.
func (q *requester) withdraw(ctx context.Context, ask queueing.Ask, w *kueuev1.Workload) (queueing.Verdict, error) {
	if !admitted(w) && !isLeft(w, ask) {
		return queueing.Verdict{}, q.writer.remove(ctx, w)
	}
	return queueing.Verdict{State: queueing.Evicting, Grant: heldBy(w)}, nil
}

// create creates the Workload of an ask. The watch wakes the asker when it shows the Workload.
func (q *requester) create(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	if err := q.cleaner.removeStaleChunks(ctx, ask.Key, ask.Run, ask.Attempt); err != nil {
		return queueing.Verdict{}, err
	}
	w := workloadOf(ask, q.view.priorityOf(ask))
	err := q.writer.create(ctx, w)
	switch {
	case err == nil:
		q.cleaner.pruneFinished(ctx, ask.Key)
		q.unseen.add(ask.Key, w)
		return queueing.Verdict{}, nil
	case apierrors.IsAlreadyExists(err):
		return q.resolveExisting(ctx, ask)
	case optionalkind.NotServed(err), apierrors.IsMethodNotSupported(err): // the kinds are being removed
		q.askers.retry(ask.Key)
		return notInstalled(), nil
	case optionalkind.WriteRefused(err):
		q.askers.retry(ask.Key)
		return waiting(queueing.ReasonWaitingForGate, fmt.Sprintf("Workload %s could not be created; the operator will retry: %s", w.Name, stabilise(err.Error()))), nil
	}
	return queueing.Verdict{}, fmt.Errorf("create Workload %s: %w", client.ObjectKeyFromObject(w), err)
}

// resolveExisting checks who owns the existing Workload with the name that an ask needs. A Workload of another owner is
// never taken over. One of ours gets the labels back by which it is watched, if they were removed.
func (q *requester) resolveExisting(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	w, err := read(ctx, q.live, ask.Key.Namespace, ask.Objects.Name)
	if err != nil {
		return queueing.Verdict{}, err
	}
	q.askers.retry(ask.Key)
	if owner, ok := keyOf(w); ok && owner.UID == ask.Key.UID {
		q.unseen.add(ask.Key, w)
		labelled, wanted := w.DeepCopy(), changed(w, workloadOf(ask, nil))
		labelled.Labels, labelled.Finalizers = wanted.Labels, wanted.Finalizers
		return queueing.Verdict{}, q.writer.patch(ctx, w, labelled)
	}
	whose := "no controller"
	if owner := metav1.GetControllerOfNoCopy(w); owner != nil {
		whose = owner.Kind + " " + owner.Name
	}
	return waiting(queueing.ReasonWaitingForGate,
		fmt.Sprintf("Workload %s already exists and belongs to %s; delete it, or choose another name for %s", w.Name, whose, ask.Key)), nil
}

// change makes a Workload without quota equal to an ask. A Workload for an earlier place in the queue is deleted
// instead, and another one will follow, because otherwise the changed Workload would keep the age of the old one.
func (q *requester) change(ctx context.Context, ask queueing.Ask, w, wanted *kueuev1.Workload) error {
	if queueing.LaterPlace(w.Annotations, wanted.Annotations) {
		return q.writer.remove(ctx, w)
	}
	if err := q.cleaner.removeStaleChunks(ctx, ask.Key, ask.Run, ask.Attempt); err != nil {
		return err
	}
	return q.writer.change(ctx, w, changed(w, wanted))
}

// afterEnd handles a Workload of the attempt that ended before any pod of the attempt was created, and that blocks the
// name for a new one. If it could not start, it is kept as long as the reason persists.
func (q *requester) afterEnd(ctx context.Context, ask queueing.Ask, w *kueuev1.Workload) (queueing.Verdict, error) {
	end := conditionOf(w, kueuev1.WorkloadFinished)
	same := w.Annotations[fingerprintAnnotation] == workloadOf(ask, q.view.priorityOf(ask)).Annotations[fingerprintAnnotation]
	if end.Reason == failedToStart && same && w.Status.Admission != nil {
		if v := granted(ask, w, q.view.around(ask)); contradicts(v) {
			return v, q.writer.removeFinalizer(ctx, w)
		}
	}
	return queueing.Verdict{}, q.writer.remove(ctx, w)
}

// read reads a Workload from the API server.
func read(ctx context.Context, live client.Reader, namespace, name string) (*kueuev1.Workload, error) {
	w := &kueuev1.Workload{}
	if err := live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, w); err != nil {
		return nil, fmt.Errorf("read Workload %s/%s: %w", namespace, name, err)
	}
	return w, nil
}
