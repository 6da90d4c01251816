// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/schedulinggate"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// maxConcurrentUngates bounds the scheduling gates of one application that are removed at a time.
const maxConcurrentUngates = 8

// targetGate is the gate that a start asks, whether the namespace is guarded, and all settings of the namespace.
type targetGate struct {
	name     string
	guarded  bool
	settings string
}

// schedulingGated reports whether executors wait behind the scheduling gate of the quota: as the grant says, and before there is one, under dynamic
// allocation and in guarded namespaces, if the gate that is asked lets grants grow.
func (p *pass) schedulingGated(properties conf.Properties, grant *queueing.Grant) bool {
	if grant != nil {
		return grant.SchedulingGated
	}
	gang, err := properties.Executors()
	return p.Gates.Capabilities(p.target.name).Resizes && (p.target.guarded || err == nil && gang.Dynamic)
}

// resize requests what the application wants from the gate of its grant, and returns the allocation.
func (p *pass) resize(ctx context.Context, want queueing.ResizeRequest) *queueing.Allocation {
	room := p.Gates.Resize(ctx, keyOf(p.app), convert.FromAPI(p.app.Status.Grant), want)
	return &room
}

// persisted tells the gate which grant stands in the status.
func (p *pass) persisted(ctx context.Context) {
	if grant := p.app.Status.Grant; grant != nil {
		p.Gates.Persisted(ctx, keyOf(p.app), convert.FromAPI(grant))
	}
}

// ungatePods removes the scheduling gates of executors, some at a time. It does so straight after the grant was written, or after a live look that says
// it still stands.
func (p *pass) ungatePods(ctx context.Context, releases []lifecycle.Ungate) error {
	if stands, err := p.grantStands(ctx); err != nil || !stands {
		return err
	}
	slots := make(chan struct{}, maxConcurrentUngates)
	errs := make([]error, len(releases))
	var all sync.WaitGroup
	for i := range releases {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			errs[i] = p.ungatePod(ctx, &releases[i])
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// grantStands reports whether the grant that this pass goes by is the one in the application's status.
func (p *pass) grantStands(ctx context.Context) (bool, error) {
	if !p.intentVerifiedAt.IsZero() && p.Clock.Since(p.intentVerifiedAt) <= intentFreshness {
		return true, nil
	}
	asked, live := p.Clock.Now(), &v1alpha1.SparkApplication{}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(p.app), live); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	p.intentVerifiedAt = asked
	return live.ResourceVersion == p.app.ResourceVersion, nil
}

// ungatePod removes the scheduling gate of one executor. A pod that has changed since it was seen is left for the next pass.
func (p *pass) ungatePod(ctx context.Context, r *lifecycle.Ungate) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: r.Pod.Namespace, Name: r.Pod.Name}}
	p.expectations.markUngating(p.app, r.Pod.UID, r.Flavor, p.Clock.Now().Add(requestTimeout))
	labels := maps.Clone(r.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1alpha1.FlavorLabel] = r.Flavor
	patch := schedulinggate.RemovalPatch(r.Pod, false, schedulinggate.Placement{NodeSelector: r.NodeSelector, Tolerations: r.Tolerations, Labels: labels})
	err := p.Client.Patch(ctx, pod, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		p.Pods.ObservedWrite(pod)
		p.expectations.ungateAnswered(p.app, r.Pod.UID)
		return nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		p.expectations.ungateAnswered(p.app, r.Pod.UID)
		return nil
	case refused(err):
		p.expectations.ungateAnswered(p.app, r.Pod.UID)
		if changed, gone := p.podChanged(ctx, r.Pod); gone != nil || changed {
			return gone
		}
	}
	return fmt.Errorf("lift the scheduling gate of pod %s/%s: %w", r.Pod.Namespace, r.Pod.Name, err)
}

// podChanged reports whether a pod is not as it was seen.
func (p *pass) podChanged(ctx context.Context, r *pods.Record) (bool, error) {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: r.Namespace, Name: r.Name}, live)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return err == nil && live.ResourceVersion != strconv.FormatUint(r.Version, 10), err
}
