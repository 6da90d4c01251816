// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/schedulinggate"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// Ungater removes the scheduling gates of executors.
type Ungater struct {
	Client client.Client
	Live   client.Reader
	Pods   *pods.Store
	Intent *Intent
	Record *memory.Record
	Clock  clock.Clock
}

// maxConcurrentUngates is how many scheduling gates of one application are removed at the same time.
const maxConcurrentUngates = 8

// Ungate removes the scheduling gates of executors, maxConcurrentUngates at a time, right after the grant was
// written or after a live read that confirms it.
func (ug *Ungater) Ungate(ctx context.Context, app *v1alpha1.SparkApplication, ungates []lifecycle.Ungate) error {
	if stands, err := ug.Intent.GrantStands(ctx, app); err != nil || !stands {
		return err
	}
	slots := make(chan struct{}, maxConcurrentUngates)
	answered, errs := make([]bool, len(ungates)), make([]error, len(ungates))
	var all sync.WaitGroup
	for i := range ungates {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			answered[i], errs[i] = ug.ungatePod(ctx, &ungates[i])
		})
	}
	all.Wait()
	until := ug.Clock.Now().Add(requestTimeout)
	for i, pod := range ungates {
		if answered[i] {
			ug.Record.Writes.Ungated(pod.Pod.UID)
		} else {
			ug.Record.Writes.UngateUnanswered(pod.Pod.UID, pod.Flavor, until)
		}
	}
	return firstOf(errs)
}

// firstOf returns the first error of a list, with the number of further ones; nil if there is none. There may be
// hundreds of them, most of them alike.
func firstOf(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return fmt.Errorf("%w (and %d more)", errs[0], len(errs)-1)
}

// ungatePod removes the scheduling gate of one executor. A pod that has changed since it was observed is left to the
// next pass. Without an answer of the API server the gate may still be removed later.
func (ug *Ungater) ungatePod(ctx context.Context, r *lifecycle.Ungate) (answered bool, err error) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: r.Pod.Namespace, Name: r.Pod.Name}}
	labels := maps.Clone(r.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1alpha1.FlavorLabel] = r.Flavor
	patch := schedulinggate.RemovalPatch(r.Pod, false, schedulinggate.Placement{NodeSelector: r.NodeSelector, Tolerations: r.Tolerations, Labels: labels})
	err = ug.Client.Patch(ctx, pod, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		ug.Pods.ObservedWrite(pod)
		return true, nil
	case apianswer.IsGoneOrChanged(err):
		return true, nil
	case apianswer.IsRefused(err):
		answered = true
		if changed, failed := schedulinggate.PodChanged(ctx, ug.Live, r.Pod); failed != nil || changed {
			return true, failed
		}
	}
	return answered, fmt.Errorf("remove the scheduling gate of pod %s/%s: %w", r.Pod.Namespace, r.Pod.Name, err)
}
