// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
)

// restoredState is what a new leader finds in the cluster.
type restoredState struct {
	alive   map[queueing.Key]bool
	held    []gate.Holding
	waiting []queueing.Key
	// unfinished are the applications that have not ended, or are being deleted.
	unfinished []types.NamespacedName
	// prelisted receives the unfinished applications.
	prelisted *application.Prelisted
}

// fewOwners is up to how many applications are read one by one instead of by a list.
const fewOwners = 20

// findOwners looks up the applications that active pods name in their labels and that were not listed, because they
// have ended or are gone. A few are read one by one. Many, such as invented ones, cost no more than one list of
// metadata.
func (s *restoredState) findOwners(ctx context.Context, live client.Reader, in namespaces.Set, store *pods.Store) error {
	unknown := map[types.NamespacedName]bool{}
	for _, name := range store.Applications() {
		for _, r := range store.Of(name) {
			if r.Active() && !s.alive[queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: r.Namespace, Name: r.Application, UID: r.AppUID}] {
				unknown[name] = true
			}
		}
	}
	kind := v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind)
	see := func(app *metav1.PartialObjectMetadata) error {
		s.alive[podsets.KeyOf(app)] = true
		return nil
	}
	if len(unknown) > fewOwners {
		for _, namespace := range in.Scopes() {
			if err := livemeta.Each(ctx, live, kind, see, client.InNamespace(namespace)); err != nil {
				return err
			}
		}
		return nil
	}
	for name := range unknown {
		app := livemeta.Key{Kind: kind, Name: name.Name}.Metadata(name.Namespace)
		if err := live.Get(ctx, name, app); err == nil {
			_ = see(app)
		} else if !apierrors.IsNotFound(err) {
			return fmt.Errorf("read application %s: %w", name, err)
		}
	}
	return nil
}

// add records an application.
func (s *restoredState) add(app *v1alpha1.SparkApplication) {
	key := podsets.KeyOf(app)
	s.alive[key] = true
	if app.Status.Times.Finished == nil || !app.DeletionTimestamp.IsZero() {
		s.decideOn(app)
	}
	if g := app.Status.Grant; g != nil {
		if catalog.Of(g.Gate).SparkQueues {
			s.held = append(s.held, holdingOf(app))
		}
		return
	}
	stage, known := status.StageOf(app.Status.Conditions)
	if known && (stage == status.Queued || stage == status.Preempted || stage == status.New) && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend {
		s.waiting = append(s.waiting, key)
	}
}

// holdingOf returns the grant that an application holds.
func holdingOf(app *v1alpha1.SparkApplication) gate.Holding {
	return gate.Holding{Key: podsets.KeyOf(app), Grant: convert.FromAPI(app.Status.Grant), Since: ptr.Deref(app.Status.Times.Admitted, metav1.Time{}).Time}
}

// decideOn makes an application one of the first to be reconciled, even before the cache has it.
func (s *restoredState) decideOn(app *v1alpha1.SparkApplication) {
	s.unfinished = append(s.unfinished, types.NamespacedName{Namespace: app.Namespace, Name: app.Name})
	if kept, err := cachetransform.Object(app); err == nil {
		s.prelisted.Add(kept.(*v1alpha1.SparkApplication))
	}
}

// addPods adds the pods that belong to no application. Running pods hold what they request; the others will ask again.
func (s *restoredState) addPods(unmanaged []unmanagedpods.SeededPod) {
	for _, p := range unmanaged {
		s.alive[p.Key] = true
		if p.Grant != nil {
			s.held = append(s.held, gate.Holding{Key: p.Key, Grant: *p.Grant, Since: p.Since})
		} else {
			s.waiting = append(s.waiting, p.Key)
		}
	}
}

// addOrphans charges the active pods of applications that no longer exist until the pods are gone: up to what the
// ledgers say that the application held, as its grant, and the rest as unattributed pods. The queue in the labels of
// the pods proves nothing.
func (s *restoredState) addOrphans(recorded func(queueing.Key) (queueing.Grant, bool), in *operator) {
	store := in.watcher.Store()
	for _, name := range store.Applications() {
		left := map[queueing.Key][]*pods.Record{}
		for _, r := range store.Of(name) {
			if key := (queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: r.Namespace, Name: r.Application, UID: r.AppUID}); !s.alive[key] && r.Active() {
				left[key] = append(left[key], r)
			}
		}
		for key, records := range left {
			grant, held := recorded(key)
			if held {
				s.held = append(s.held, gate.Holding{Key: key, Grant: grant, Orphan: true})
			}
			for _, r := range pods.ExceedingGrant(records, grant) {
				in.asking.chargeUnattributed(r)
			}
		}
	}
}
