// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package labelled

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// retryInterval is the interval at which namespaces are listed while there is none, or while permissions in one are
	// missing or in doubt.
	retryInterval = 30 * time.Second
	// resyncInterval is the interval at which the permissions in all namespaces are reviewed, because no watch reports
	// that they are lost.
	resyncInterval = 10 * retryInterval
	// gathering is how long a change waits for further ones, so that many changes cost a single restart.
	gathering = 2 * time.Second
)

// ErrChanged is returned by Start when the set of namespaces has changed. The process has to restart.
var ErrChanged = errors.New("the namespaces that --namespace-selector selects have changed")

// Namespaces are the namespaces that match a selector. Create it with New.
type Namespaces struct {
	selector labels.Selector
	// client lists namespaces and reviews the operator's permissions.
	client client.Client
	clock  clock.Clock
	log    logr.Logger

	mu sync.Mutex
	// watched are the namespaces that this process reconciles. lacking are the selected ones in which it has no
	// permissions.
	watched, lacking map[string]bool
	// doubted maps each watched namespace whose last review was denied to the time of the first denial in a row.
	doubted map[string]time.Time
	changed chan struct{}
}

// New returns the namespaces of a selector. They are not known before Wait returns.
func New(selector labels.Selector, c client.Client, by clock.Clock, log logr.Logger) *Namespaces {
	return &Namespaces{
		selector: selector, client: c, clock: by, log: log,
		lacking: map[string]bool{}, doubted: map[string]time.Time{}, changed: make(chan struct{}, 1),
	}
}

// Wait lists the namespaces until there is at least one, and returns their names, sorted.
func (n *Namespaces) Wait(ctx context.Context) ([]string, error) {
	for {
		names, err := n.list(ctx)
		switch {
		case err != nil:
			n.log.Error(err, "Failed to list namespaces; will retry", "selector", n.selector.String())
		case len(names) > 0:
			n.watched = map[string]bool{}
			for _, name := range names {
				n.watched[name] = true
			}
			n.log.Info("Watching the namespaces that the selector selects", "selector", n.selector.String(), "namespaces", names)
			return names, nil
		default:
			n.log.Info("Waiting for a namespace that the selector selects, and in which this operator has its rights",
				"selector", n.selector.String(), "withoutRights", len(n.lacking))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-n.clock.After(retryInterval):
		}
	}
}

// list returns the selected namespaces in which the operator has its permissions.
func (n *Namespaces) list(ctx context.Context) ([]string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := n.client.List(ctx, list, client.MatchingLabelsSelector{Selector: n.selector}); err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Items {
		if name := list.Items[i].Name; n.hasRights(ctx, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// hasRights reviews two of the operator's permissions in a namespace. Without these its caches would not sync, and
// nothing would start anywhere. If a review fails, the permission counts as unchanged, and at first as granted.
func (n *Namespaces) hasRights(ctx context.Context, namespace string) bool {
	known := true
	for _, right := range []authorizationv1.ResourceAttributes{
		{Namespace: namespace, Verb: "list", Group: v1alpha1.Group, Resource: "sparkapplications"},
		{Namespace: namespace, Verb: "watch", Resource: "pods"},
	} {
		switch allowed, err := n.review(ctx, right); {
		case err != nil:
			n.log.Error(err, "Failed to review the rights of this operator in a namespace; assuming that they have not changed", "namespace", namespace)
			known = false
		case !allowed:
			return n.keepsDenied(right)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.doubted, namespace)
	if known {
		delete(n.lacking, namespace)
	}
	return !n.lacking[namespace]
}

// review reports whether the operator has a permission. It returns an error if the authorizer denied it because of an
// error of its own, which says nothing about the permission.
func (n *Namespaces) review(ctx context.Context, right authorizationv1.ResourceAttributes) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &right}}
	if err := n.client.Create(ctx, review); err != nil {
		return false, err
	}
	if !review.Status.Allowed && review.Status.EvaluationError != "" {
		return false, fmt.Errorf("authorize: %s", review.Status.EvaluationError)
	}
	return review.Status.Allowed, nil
}

// keepsDenied records a denial, and reports whether the namespace is still watched. Only a second denial in a row
// removes it, because all replicas restart then, and a RoleBinding that is replaced is missing for a moment only.
func (n *Namespaces) keepsDenied(right authorizationv1.ResourceAttributes) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	log, name := n.log.WithValues("namespace", right.Namespace, "verb", right.Verb, "resource", right.Resource), right.Namespace
	since, doubted := n.doubted[name]
	switch {
	case n.watched[name] && !doubted && !n.lacking[name]:
		log.Info("Reviewing the rights of this operator in a namespace once more, because one was denied", "in", retryInterval.String())
		n.doubted[name] = n.clock.Now()
		return true
	case doubted && n.clock.Since(since) < retryInterval:
		return true
	case !n.lacking[name]:
		log.Info("Leaving out a namespace until this operator has its rights there")
	}
	delete(n.doubted, name)
	n.lacking[name] = true
	return false
}

// AddTo makes a manager follow the namespaces with its cache. It does nothing if n is nil.
func (n *Namespaces) AddTo(mgr manager.Manager) error {
	if n == nil {
		return nil
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	informer, err := mgr.GetCache().GetInformer(context.Background(), namespace, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch namespaces: %w", err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    n.observe,
		UpdateFunc: func(_, o any) { n.observe(o) },
	})
	return errors.Join(err, mgr.Add(n))
}

// observe signals a change if a namespace has started or ceased to match. Deleted namespaces need no restart: they have
// no applications left.
func (n *Namespaces) observe(o any) {
	namespace, is := o.(metav1.Object)
	if !is {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	name, selected := namespace.GetName(), n.selector.Matches(labels.Set(namespace.GetLabels()))
	if !selected {
		delete(n.lacking, name)
	}
	if selected != n.watched[name] && !n.lacking[name] {
		select {
		case n.changed <- struct{}{}:
		default:
		}
	}
}

// NeedLeaderElection returns false: a standby has to watch the same namespaces as the leader.
func (*Namespaces) NeedLeaderElection() bool { return false }

// Start returns ErrChanged once the set of namespaces has changed. It implements manager.Runnable.
func (n *Namespaces) Start(ctx context.Context) error {
	failed := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.clock.After(n.pause(failed)):
		case <-n.changed:
			select {
			case <-ctx.Done():
				return nil
			case <-n.clock.After(gathering):
			}
		}
		names, err := n.list(ctx)
		if failed = err != nil; failed {
			n.log.Error(err, "Failed to list namespaces; will retry", "selector", n.selector.String())
			continue
		}
		if came, left := n.difference(names); len(came)+len(left) > 0 {
			return fmt.Errorf("%w: came %q, left %q; the operator starts again", ErrChanged, came, left)
		}
	}
}

// pause returns how long to wait before namespaces are listed even without a change. It is short if the last list has
// failed, because that one may have followed a change, and while permissions are missing or in doubt.
func (n *Namespaces) pause(failed bool) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if failed || len(n.lacking)+len(n.doubted) > 0 {
		return retryInterval
	}
	return resyncInterval
}

// difference returns the namespaces that were added and removed.
func (n *Namespaces) difference(names []string) (came, left []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range names {
		if !n.watched[name] {
			came = append(came, name)
		}
	}
	for name := range n.watched {
		if !slices.Contains(names, name) {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return came, left
}
