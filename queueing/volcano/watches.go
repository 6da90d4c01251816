// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Indexes of groups by the uid and by the kind and name of the owning asker, and of queues by parent.
const (
	byUID    = "uid"
	byOwner  = "owner"
	byParent = "parent"
)

// Watches returns the watches. They must be started with the gate, and known before it is used.
func (g *Gate) Watches() []*optionalkind.Watch { return []*optionalkind.Watch{g.groups, g.queues} }

// installed reports whether both kinds are served.
func (g *Gate) installed() bool { return g.groups.Installed() && g.queues.Installed() }

// unreadable reports whether the kinds may be served but cannot be read.
func (g *Gate) unreadable() bool { return g.groups.Unreadable() || g.queues.Unreadable() }

// watchGroups watches the groups of askers. Volcano creates many more, one for each pod without a group.
func (g *Gate) watchGroups() *optionalkind.Watch {
	ours, err := labels.NewRequirement(v1alpha1.AttemptLabel, selection.Exists, nil)
	if err != nil {
		panic(err) // the label is a constant
	}
	return optionalkind.New(optionalkind.Options{
		Client: g.o.Client, Object: &v1beta1.PodGroup{}, List: &v1beta1.PodGroupList{}, Namespaces: g.o.Namespaces, Selector: labels.NewSelector().Add(*ours),
		Indexes: cache.Indexers{
			byUID:   index(func(key queueing.Key) string { return key.UID }),
			byOwner: index(func(key queueing.Key) string { return key.Named().String() }),
		},
		Changed: g.groupChanged, AvailabilityChanged: func(bool) { g.tracker.kindAvailabilityChanged() },
		Interval: g.o.Interval, Clock: g.o.Clock, Log: g.o.Log,
	})
}

func (g *Gate) watchQueues() *optionalkind.Watch {
	return optionalkind.New(optionalkind.Options{
		Client: g.o.Client, Object: &v1beta1.Queue{}, List: &v1beta1.QueueList{},
		Indexes: cache.Indexers{byParent: func(o any) ([]string, error) { return []string{o.(*v1beta1.Queue).Spec.Parent}, nil }},
		Slim: func(o client.Object) { // drops everything that changes all the time
			q := o.(*v1beta1.Queue)
			q.Status = v1beta1.QueueStatus{State: q.Status.State}
		},
		Changed: g.queueChanged, AvailabilityChanged: func(bool) { g.tracker.kindAvailabilityChanged() },
		Interval: g.o.Interval, Clock: g.o.Clock, Log: g.o.Log,
	})
}

// groupChanged wakes the asker of a group that was added, changed or deleted.
func (g *Gate) groupChanged(o client.Object) {
	key, owned := keyOf(o)
	if !owned {
		return
	}
	g.tracker.observed(key.UID, o.GetName())
	if shown := g.groups.Get(o.GetNamespace(), o.GetName()); shown == nil || shown.GetUID() != o.GetUID() || shown.GetDeletionTimestamp() != nil {
		g.tracker.observedDelete(o.GetUID())
	}
	g.o.Waker.Wake(key)
}

// queueChanged passes on the state that verdicts depend on, for the queue, its parent and its previous parent.
func (g *Gate) queueChanged(o client.Object) {
	above, stays := o.(*v1beta1.Queue).Spec.Parent, ""
	if !g.queues.Installed() || g.queues.Get("", o.GetName()) != nil { // objects of the first list are reported before the kind counts as installed
		stays = above
	}
	for _, name := range []string{o.GetName(), above, g.tracker.moved(o.GetName(), stays)} {
		now := ""
		if q, ok := g.queues.Get("", name).(*v1beta1.Queue); ok {
			now = fmt.Sprintf("%s %s %t", q.Status.State, listed(q.Spec.Capability), g.isInner(name))
		}
		g.tracker.queueChanged(name, now)
	}
}

// isInner reports whether a queue is the parent of others.
func (g *Gate) isInner(queue string) bool { return len(g.queues.By(byParent, queue)) > 0 }

// index returns an index function over the asker that owns a group.
func index(of func(queueing.Key) string) cache.IndexFunc {
	return func(obj any) ([]string, error) {
		o, ok := obj.(client.Object)
		if !ok {
			return nil, nil
		}
		if key, owned := keyOf(o); owned {
			return []string{of(key)}, nil
		}
		return nil, nil
	}
}

// keyOf returns the asker that owns a group, or false if no controller does.
func keyOf(o client.Object) (queueing.Key, bool) {
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil {
		return queueing.Key{}, false
	}
	return queueing.Key{Kind: owner.Kind, Namespace: o.GetNamespace(), Name: owner.Name, UID: string(owner.UID)}, true
}

// groupsOf returns the groups of an asker as shown by the watch.
func (g *Gate) groupsOf(key queueing.Key) []*v1beta1.PodGroup {
	var groups []*v1beta1.PodGroup
	for _, o := range g.groups.By(byUID, key.UID) {
		if group := o.(*v1beta1.PodGroup); group.Namespace == key.Namespace {
			groups = append(groups, group)
		}
	}
	return groups
}

// KeysFor returns the askers of this name that have a group or ask for one.
func (g *Gate) KeysFor(kind, namespace, name string) []queueing.Key {
	named := queueing.Key{Kind: kind, Namespace: namespace, Name: name}
	keys := g.tracker.keysOf(named)
	for _, o := range g.groups.By(byOwner, named.String()) {
		if key, owned := keyOf(o); owned && !g.tracker.isDeleted(o.GetUID()) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func ownedBy(o client.Object, key queueing.Key) bool {
	owner := metav1.GetControllerOfNoCopy(o)
	return owner != nil && string(owner.UID) == key.UID
}
