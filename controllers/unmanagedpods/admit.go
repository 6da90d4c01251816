// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/priorityclass"
	"github.com/sparkgate/sparkgate/controllers/internal/schedulinggate"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// reconcilePod brings what the queue knows about a pod in line with the pod, and the pod in line with the queue's
// decision.
func (r *Reconciler) reconcilePod(ctx context.Context, namespace *metav1.PartialObjectMetadata, name types.NamespacedName) error {
	p := r.known(name)
	if p != nil && (!p.Unattributed && !guarded(namespace) || !p.HoldsOrAwaitsQuota()) {
		p = nil
	}
	if p == nil {
		r.forgetEvent(name)
		return r.release(ctx, name, "")
	}
	queue, err := r.decidedIn(ctx, r.Client, namespace, p)
	if err != nil {
		return err
	}
	return r.decide(ctx, namespace, p, queue)
}

// decide charges a pod that is running, or asks for one that is waiting.
func (r *Reconciler) decide(ctx context.Context, namespace *metav1.PartialObjectMetadata, p *unmanaged.Pod, queue string) error {
	name := nameOf(p.Record)
	if gate := r.gateOf(namespace); !r.Gates.Capabilities(string(gate)).Charges {
		if p.SchedulingGate != nil {
			r.recordEvent(ctx, p, v1alpha1.WaitingForGateReason, fmt.Sprintf("the gate of namespace %s is %s, which admits applications only: run this as a "+
				"SparkApplication, or have the annotation %s of the namespace removed", p.Namespace, gate, v1alpha1.DefaultGateAnnotation))
		}
		return r.release(ctx, name, "")
	}
	if err := r.release(ctx, name, p.UID); err != nil {
		return err
	}
	if p.SchedulingGate == nil {
		return r.charge(ctx, namespace, p, queue)
	}
	if reason, refusal, err := r.refusal(ctx, namespace, p); err != nil {
		return err
	} else if refusal != "" {
		r.recordEvent(ctx, p, reason, refusal)
		return r.release(ctx, name, "")
	}
	return r.ask(ctx, namespace, p)
}

// refusal returns why a pod behind the scheduling gate must not be admitted regardless of quota, or an empty refusal if
// it may be.
func (r *Reconciler) refusal(ctx context.Context, namespace *metav1.PartialObjectMetadata, p *unmanaged.Pod) (reason, refusal string, err error) {
	if p.Invalid != "" {
		return v1alpha1.InvalidSpecReason, "is not admitted: " + p.Invalid + ", and recreate the pod", nil
	}
	policy, queue := namespacepolicy.Of(namespace), unmanaged.QueueOf(namespace)
	if refusal := policy.Gate(string(r.gateOf(namespace)), "unmanaged pods", r.AllowedGates); refusal != "" {
		return v1alpha1.WaitingForGateReason, refusal, nil
	}
	if refusal := policy.Queue(queue, "annotation "+v1alpha1.DefaultQueueAnnotation+" of namespace "+policy.Namespace); refusal != "" || p.Class == "" {
		return v1alpha1.NamespaceNotAllowedReason, refusal, nil
	}
	refusal, err = priorityclass.Classes{Reader: r.Client, Queue: queue}.Refusal(ctx, p.Class, "spec.priorityClassName of the pod")
	return v1alpha1.InvalidSpecReason, refusal, err
}

// release releases what pods with this name hold or ask for, except for the pod with the uid keep.
func (r *Reconciler) release(ctx context.Context, name types.NamespacedName, keep types.UID) error {
	for _, key := range r.Gates.Keys(queueing.Key{Kind: v1alpha1.PodKind, Namespace: name.Namespace, Name: name.Name}) {
		if key.UID == string(keep) {
			continue
		}
		if err := r.Gates.Release(ctx, key, queueing.Release{Reason: queueing.Deleted}); err != nil {
			return fmt.Errorf("release what pod %s held: %w", key, err)
		}
	}
	return nil
}

// ask requests quota for a gated pod, and ungates the pod once it is granted.
func (r *Reconciler) ask(ctx context.Context, namespace *metav1.PartialObjectMetadata, p *unmanaged.Pod) error {
	ask := p.Ask(namespace, r.store.since(p))
	gate := string(r.gateOf(namespace))
	verdict, err := r.Gates.Request(ctx, gate, ask)
	if err == nil && verdict.State == queueing.Evicting { // the quota was reclaimed before the pod was ungated
		if err = r.Gates.Release(ctx, ask.Key, queueing.Release{Reason: queueing.Requeued}); err == nil {
			verdict, err = r.Gates.Request(ctx, gate, ask)
		}
	}
	if err != nil {
		return fmt.Errorf("request quota for pod %s/%s: %w", p.Namespace, p.Name, err)
	}
	switch verdict.State {
	case queueing.Granted:
		return r.admit(ctx, p, verdict.Grant)
	case queueing.Waiting, queueing.Refused:
		r.recordEvent(ctx, p, verdict.Reason, fmt.Sprintf("waits for quota in queue %s: %s", ask.Queue, verdict.Message))
	case queueing.Undecided, queueing.Evicting:
	}
	return nil
}

// admit removes the scheduling gate of a pod. A pod that has changed since it was seen is left to the next pass.
func (r *Reconciler) admit(ctx context.Context, p *unmanaged.Pod, grant *queueing.Grant) error {
	set := &grant.PodSets[0]
	patch := schedulinggate.RemovalPatch(p.Record, p.Unlabelled, schedulinggate.Placement{
		NodeSelector: set.NodeSelector, Tolerations: set.Tolerations,
		Labels: map[string]string{v1alpha1.QueueLabel: grant.Queue, v1alpha1.FlavorLabel: set.Flavor},
	})
	live := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name}}
	err := r.Client.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		r.Gates.Persisted(ctx, p.Key(), *grant)
		ctrl.LoggerFrom(ctx).Info("Unmanaged pod admitted", "queue", grant.Queue, "flavor", set.Flavor, "gate", grant.Gate)
		r.recordEvent(ctx, p, v1alpha1.AdmittedCondition, "has quota in queue "+grant.Queue)
		r.store.observedWrite(live)
		return nil
	case apianswer.IsGoneOrChanged(err):
		return nil
	case apierrors.IsInvalid(err):
		if changed, failed := schedulinggate.PodChanged(ctx, r.Live, p.Record); changed || failed != nil {
			return failed
		}
		r.recordEvent(ctx, p, v1alpha1.WaitingForGateReason, fmt.Sprintf("has quota in queue %s, but its node selector conflicts with flavor %s: recreate the pod without the "+
			"node selector that differs", grant.Queue, set.Flavor))
	}
	return fmt.Errorf("remove the scheduling gate of pod %s/%s: %w", p.Namespace, p.Name, err)
}

// charge charges a pod without the scheduling gate, whichever client removed it, and deletes the pod if its quota is
// reclaimed.
func (r *Reconciler) charge(ctx context.Context, namespace *metav1.PartialObjectMetadata, p *unmanaged.Pod, queue string) error {
	key, grant := p.Key(), p.Grant(string(r.gateOf(namespace)), queue)
	r.Gates.Charge(key, grant)
	if p.Unattributed {
		r.recordEvent(ctx, p, unattributedReason, fmt.Sprintf("has the labels of application %s, which does not exist, or has not created this pod, or held "+
			"less: it is charged to queue %s of namespace %s", p.Application, grant.Queue, p.Namespace))
	}
	r.Gates.Persisted(ctx, key, grant)
	standing := queueing.HolderState{Priority: p.Priority, QueuedAt: r.store.since(p), Terminating: p.Deleting}
	if p.Deleting {
		var err error
		standing.Stuck, err = r.boundTermination(ctx, p)
		r.Gates.UpdateHolder(key, grant, standing)
		return err
	}
	r.Gates.UpdateHolder(key, grant, standing)
	eviction := r.Gates.Eviction(key, grant)
	if eviction == nil {
		return nil
	}
	r.recordEvent(ctx, p, eviction.Reason, eviction.Message)
	return r.deletePod(ctx, p, false)
}

// recordEvent records an event on a pod and logs its reason, unless the last event about the pod was the same.
func (r *Reconciler) recordEvent(ctx context.Context, p *unmanaged.Pod, reason, message string) {
	name, event := nameOf(p.Record), lastEvent{pod: p.UID, text: reason + ": " + message}
	r.mu.Lock()
	known := r.lastEvents[name] == event
	r.lastEvents[name] = event
	r.mu.Unlock()
	if !known {
		ctrl.LoggerFrom(ctx).V(1).Info("Recorded an event for an unmanaged pod", "reason", reason)
		about := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID}}
		r.Recorder.Eventf(about, nil, corev1.EventTypeNormal, reason, reason, "%s", status.Truncate(message)) // longer messages are refused
	}
}

// forgetEvent drops the last event about a pod that is gone or no longer concerns this controller.
func (r *Reconciler) forgetEvent(pod types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lastEvents, pod)
}
