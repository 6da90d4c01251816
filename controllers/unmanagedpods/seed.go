// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/queueing"
)

// SeededPod is a pod that a new leader finds.
type SeededPod struct {
	Key queueing.Key
	// Since is when the pod was admitted, as far as that is known. If it is not, the pod comes after all others.
	Since time.Time
	// Grant is what the pod is charged; nil if it waits behind the scheduling gate.
	Grant *queueing.Grant
}

// Seed reads the running and the waiting pods of guarded namespaces from the API server, for a new leader that has not
// decided anything yet. Its watches may lag behind what the previous leader has admitted.
func (r *Reconciler) Seed(ctx context.Context) ([]SeededPod, error) {
	namespaces := &metav1.PartialObjectMetadataList{}
	namespaces.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := r.Live.List(ctx, namespaces, client.MatchingLabels{v1alpha1.GuardedLabel: "true"}); err != nil {
		return nil, fmt.Errorf("list guarded namespaces: %w", err)
	}
	found, queues := []SeededPod(nil), &queuesRead{Reader: r.Live}
	for i := range namespaces.Items {
		namespace := &namespaces.Items[i]
		if !r.Namespaces.Has(namespace.Name) || !r.Gates.Capabilities(string(r.gateOf(namespace))).Charges {
			continue
		}
		if err := r.followers.listAll(ctx, namespace.Name); err != nil {
			return nil, err
		}
		for _, p := range r.store.of(namespace.Name) {
			if !p.HoldsOrAwaitsQuota() {
				continue
			}
			queue, err := r.decidedIn(ctx, queues, namespace, p)
			switch {
			case err != nil:
				return nil, err
			case p.SchedulingGate != nil:
				found = append(found, SeededPod{Key: p.Key()})
			default:
				grant := p.Grant(string(r.gateOf(namespace)), queue)
				found = append(found, SeededPod{Key: p.Key(), Since: p.AdmittedAt(), Grant: &grant})
			}
		}
	}
	unattributed, err := r.seedUnattributed(ctx)
	return append(found, unattributed...), err
}

// seedUnattributed returns the unattributed pods, charged to the queues of their namespaces.
func (r *Reconciler) seedUnattributed(ctx context.Context) ([]SeededPod, error) {
	var found []SeededPod
	spaces := map[string]*metav1.PartialObjectMetadata{}
	for _, name := range r.unattributed.all() {
		if spaces[name.Namespace] == nil {
			namespace := livemeta.Namespace(name.Namespace)
			if err := r.Live.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); client.IgnoreNotFound(err) != nil {
				return nil, fmt.Errorf("read namespace %s: %w", name.Namespace, err)
			}
			spaces[name.Namespace] = namespace
		}
		namespace := spaces[name.Namespace]
		if p := r.known(name); p != nil && r.Gates.Capabilities(string(r.gateOf(namespace))).Charges {
			queue, err := r.decidedIn(ctx, r.Client, namespace, p)
			if err != nil {
				return nil, err
			}
			grant := p.Grant(string(r.gateOf(namespace)), queue)
			found = append(found, SeededPod{Key: p.Key(), Since: p.AdmittedAt(), Grant: &grant})
		}
	}
	return found, nil
}
