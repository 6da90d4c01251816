// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
)

// endingInterval is how often a pod that does not end in time is checked.
const endingInterval = 10 * time.Second

// boundTermination makes a pod that is being deleted end within MaxTermination, whichever client has deleted it,
// because its quota counts as about to be released. On a node that does not answer the pod may still be running, so its
// quota stays charged; stuck reports that.
func (r *Reconciler) boundTermination(ctx context.Context, p *unmanaged.Pod) (stuck bool, err error) {
	if p.EndsLate(r.MaxTermination) {
		return false, r.deletePod(ctx, p, false)
	}
	if wait := p.ForcedAt(r.MaxTermination).Sub(r.Clock.Now()); wait > 0 {
		r.WakeAfter(nameOf(p.Record), wait)
		return false, nil
	}
	r.WakeAfter(nameOf(p.Record), endingInterval)
	node := &corev1.Node{}
	err = r.Live.Get(ctx, types.NamespacedName{Name: p.Node}, node)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return false, fmt.Errorf("read node of pod %s/%s: %w", p.Namespace, p.Name, err)
	case err == nil && !pods.NodeReachable(node):
		return true, nil
	}
	return false, r.deletePod(ctx, p, true)
}

// deletePod deletes the pod that was seen, never a new one of the same name.
func (r *Reconciler) deletePod(ctx context.Context, p *unmanaged.Pod, force bool) error {
	obj := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name}}
	err := r.Client.Delete(ctx, obj, p.DeleteOptions(r.MaxTermination, force))
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return fmt.Errorf("delete pod %s/%s, whose quota is reclaimed: %w", p.Namespace, p.Name, err)
	}
	return nil
}
