// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// defaultInterval is how often the gate polls for changes that no watch shows: a name that becomes free, or a policy
// that no longer forbids a group.
const defaultInterval = 10 * time.Second

// Options configure a Gate. Client and Waker are required.
type Options struct {
	// Client must know Volcano's kinds; see AddToScheme.
	Client client.WithWatch
	// Namespaces are those whose askers use the gate.
	Namespaces []string
	// Waker wakes askers whose verdicts may have changed.
	Waker queueing.Waker
	// Interval is the interval of polls for changes that no watch shows, and for kinds that are not served. Default:
	// 10s.
	Interval time.Duration
	// Clock measures the interval. Default: the real clock.
	Clock clock.Clock
	Log   logr.Logger
}

// Gate is the gate Volcano. Its Watches must be started. It is safe for concurrent use.
type Gate struct {
	o              Options
	groups, queues *optionalkind.Watch
	tracker        *tracker
}

var (
	_ queueing.Gate               = (*Gate)(nil)
	_ queueing.KeyLister          = (*Gate)(nil)
	_ queueing.ReservationEnsurer = (*Gate)(nil)
)

// AddToScheme adds Volcano's kinds to a scheme.
func AddToScheme(scheme *runtime.Scheme) error { return v1beta1.AddToScheme(scheme) }

// New returns a gate. Its watches are not started.
func New(o Options) *Gate {
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	g := &Gate{o: o, tracker: newTracker(o.Waker)}
	g.groups, g.queues = g.watchGroups(), g.watchQueues()
	return g
}

// Capabilities implements queueing.Gate.
func (*Gate) Capabilities() queueing.Capabilities { return catalog.Of(Name) }

// Sync ensures that the PodGroup of the ask exists, and returns its verdict.
func (g *Gate) Sync(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	g.tracker.track(ask.Key, ask.Queue)
	if !g.installed() {
		if g.unreadable() {
			return unreadable(), nil
		}
		return notInstalled(), nil
	}
	wanted := groupFor(ask)
	if v, err := g.releaseOthers(ctx, ask); v != nil || err != nil {
		return orUndecided(v), err
	}
	group, v := g.find(ask)
	if v != nil {
		return *v, nil
	}
	queue, _ := g.queues.Get("", ask.Queue).(*v1beta1.Queue)
	switch {
	case group == nil:
		if v := queueVerdict(ask, wanted, queue); v != nil {
			return *v, nil
		}
		return g.create(ctx, ask, wanted)
	case outdated(group, wanted):
		return g.change(ctx, group, wanted)
	case admitted(group):
		return granted(ask), nil
	}
	if v := queueVerdict(ask, wanted, queue); v != nil {
		return *v, nil
	}
	if ask.Objects.StartEarly {
		return granted(ask), nil
	}
	return waitsFor(ask, group, g.isInner(ask.Queue)), nil
}

// releaseOthers deletes the groups of other attempts of the asker that hold nothing. If one holds something, it returns
// the verdict Evicting, because that must be released first.
func (g *Gate) releaseOthers(ctx context.Context, ask queueing.Ask) (*queueing.Verdict, error) {
	for _, group := range g.groupsOf(ask.Key) {
		if group.Name == ask.Objects.Name || group.DeletionTimestamp != nil || g.tracker.isDeleted(group.UID) {
			continue
		}
		if holds(group) {
			return &queueing.Verdict{State: queueing.Evicting}, nil
		}
		if err := g.delete(ctx, group); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// find returns the group of an ask as shown by the watch, or nil if there is none. If the group cannot be used, it
// returns a verdict instead.
func (g *Gate) find(ask queueing.Ask) (*v1beta1.PodGroup, *queueing.Verdict) {
	group, _ := g.groups.Get(ask.Key.Namespace, ask.Objects.Name).(*v1beta1.PodGroup)
	var v queueing.Verdict
	switch {
	case group == nil && !g.tracker.isExpected(ask.Key, ask.Objects.Name):
		return nil, nil
	case group == nil, g.tracker.isDeleted(group.UID):
		v = queueing.Verdict{State: queueing.Undecided} // the watch will show the change
		if ask.Objects.StartEarly && group == nil {
			v = granted(ask)
		}
	case !ownedBy(group, ask.Key):
		g.wakeLater(ask.Key)
		v = nameTaken(ask)
	case group.DeletionTimestamp != nil:
		v = terminating(ask)
	default:
		return group, nil
	}
	return nil, &v
}

// create creates a group that the watch has not shown.
func (g *Gate) create(ctx context.Context, ask queueing.Ask, wanted *v1beta1.PodGroup) (queueing.Verdict, error) {
	err := g.o.Client.Create(ctx, wanted, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		g.tracker.expectCreated(ask.Key, wanted.Name)
		if ask.Objects.StartEarly {
			return granted(ask), nil
		}
		return queueing.Verdict{State: queueing.Undecided}, nil
	case apierrors.IsAlreadyExists(err):
		return g.resolveExisting(ctx, ask)
	case optionalkind.NotServed(err), apierrors.IsMethodNotSupported(err): // the kinds are being removed
		g.wakeLater(ask.Key)
		return notInstalled(), nil
	case optionalkind.WriteRefused(err):
		g.wakeLater(ask.Key)
		return refusedByServer(ask, err), nil
	}
	return queueing.Verdict{}, fmt.Errorf("create PodGroup %s/%s: %w", wanted.Namespace, wanted.Name, err)
}

// resolveExisting returns the verdict if a group exists although the watch has not shown it.
func (g *Gate) resolveExisting(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	g.wakeLater(ask.Key)
	group := &v1beta1.PodGroup{}
	err := g.o.Client.Get(ctx, types.NamespacedName{Namespace: ask.Key.Namespace, Name: ask.Objects.Name}, group)
	if client.IgnoreNotFound(err) != nil {
		return queueing.Verdict{}, fmt.Errorf("read PodGroup %s/%s: %w", ask.Key.Namespace, ask.Objects.Name, err)
	}
	if err == nil && !ownedBy(group, ask.Key) {
		return nameTaken(ask), nil
	}
	return queueing.Verdict{State: queueing.Undecided}, g.relabel(ctx, ask)
}

// relabel restores the labels by which the group of an ask is watched, if a user has removed them. Otherwise nothing
// would release what the group holds.
func (g *Gate) relabel(ctx context.Context, ask queueing.Ask) error {
	group := &v1beta1.PodGroup{}
	name := types.NamespacedName{Namespace: ask.Key.Namespace, Name: ask.Objects.Name}
	if err := g.o.Client.Get(ctx, name, group); err != nil {
		return client.IgnoreNotFound(err)
	}
	if _, labelled := group.Labels[v1alpha1.AttemptLabel]; labelled || !ownedBy(group, ask.Key) {
		return nil
	}
	after := group.DeepCopy()
	if after.Labels == nil {
		after.Labels = map[string]string{}
	}
	maps.Copy(after.Labels, ask.Objects.Labels)
	if err := g.patch(ctx, after, client.MergeFrom(group)); err != nil {
		return client.IgnoreNotFound(err)
	}
	g.tracker.expectCreated(ask.Key, group.Name) // the watch will show it
	return nil
}

// change adapts a group to a changed ask of the same attempt. A group that is admitted must be released first, because
// it holds something else than is wanted now. A group for another queue is replaced, because Volcano counts a group in
// the queue in which it was created. So is a group for an earlier place in the queue, because Volcano would keep its
// age.
func (g *Gate) change(ctx context.Context, group, wanted *v1beta1.PodGroup) (queueing.Verdict, error) {
	undecided := queueing.Verdict{State: queueing.Undecided} // the watch will show the change
	if admitted(group) {
		return queueing.Verdict{State: queueing.Evicting}, nil
	}
	if !sameQueue(group, wanted) || early(group, wanted) {
		return undecided, g.delete(ctx, group)
	}
	changed := group.DeepCopy()
	changed.Spec.MinResources, changed.Spec.PriorityClassName = wanted.Spec.MinResources, wanted.Spec.PriorityClassName
	delete(changed.Annotations, earlyAnnotation)
	if changed.Annotations == nil {
		changed.Annotations = map[string]string{}
	}
	maps.Copy(changed.Annotations, wanted.Annotations)
	err := g.patch(ctx, changed, client.MergeFromWithOptions(group, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		err = nil
	}
	return undecided, err
}

// patch writes the changes of a group.
func (g *Gate) patch(ctx context.Context, changed *v1beta1.PodGroup, changes client.Patch) error {
	if err := g.o.Client.Patch(ctx, changed, changes, client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return fmt.Errorf("change PodGroup %s/%s: %w", changed.Namespace, changed.Name, err)
	}
	return nil
}

// Persisted does nothing, because the PodGroup shows what is held.
func (*Gate) Persisted(context.Context, queueing.Key, queueing.Grant) {}

// Release deletes the groups of an asker.
func (g *Gate) Release(ctx context.Context, key queueing.Key, _ queueing.Release) error {
	var failed error
	for _, group := range g.groupsOf(key) { // groups that cannot be read yet are released later: their appearance wakes their owners
		if !g.tracker.isDeleted(group.UID) {
			failed = errors.Join(failed, g.delete(ctx, group))
		}
	}
	for _, name := range g.tracker.expected(key) {
		group := &v1beta1.PodGroup{}
		err := g.o.Client.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: name}, group)
		switch {
		case optionalkind.NotServed(err):
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("read PodGroup %s/%s: %w", key.Namespace, name, err))
		case ownedBy(group, key):
			failed = errors.Join(failed, g.delete(ctx, group))
		}
	}
	if failed == nil {
		g.tracker.forget(key)
	}
	return failed
}

// delete deletes the group that was seen, never a new one of the same name.
func (g *Gate) delete(ctx context.Context, group *v1beta1.PodGroup) error {
	uid := group.UID
	g.tracker.expectDeleted(uid)
	err := g.o.Client.Delete(ctx, group.DeepCopy(), client.Preconditions{UID: &uid})
	failed := err != nil && !optionalkind.NotServed(err) && !apierrors.IsConflict(err)
	if shown := g.groups.Get(group.Namespace, group.Name); failed || shown == nil || shown.GetUID() != uid {
		g.tracker.observedDelete(uid)
	}
	if failed {
		return fmt.Errorf("delete PodGroup %s/%s: %w", group.Namespace, group.Name, err)
	}
	return nil
}

// EnsureReservation recreates the group of a running attempt if it is gone, because Volcano schedules no pod whose
// group does not exist. It undoes changes of a group by others, which would give away what the group reserves.
func (g *Gate) EnsureReservation(ctx context.Context, ask queueing.Ask) (string, error) {
	g.tracker.track(ask.Key, ask.Queue)
	name := types.NamespacedName{Namespace: ask.Key.Namespace, Name: ask.Objects.Name}
	if !g.installed() || g.tracker.isExpected(ask.Key, name.Name) {
		return "", nil
	}
	if group, there := g.groups.Get(name.Namespace, name.Name).(*v1beta1.PodGroup); there {
		return g.restore(ctx, ask.Key, group, groupFor(ask))
	}
	err := g.o.Client.Create(ctx, groupFor(ask), client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		g.tracker.expectCreated(ask.Key, name.Name)
		return fmt.Sprintf("PodGroup %s was deleted by a user or another controller; it was recreated, because Volcano schedules none of its pods without it", name.Name), nil
	case apierrors.IsAlreadyExists(err):
		err = g.relabel(ctx, ask)
	case optionalkind.NotServed(err), apierrors.IsMethodNotSupported(err):
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("create PodGroup %s again: %w", name, err)
	}
	return "", nil
}

// restore writes the spec that a group of a running attempt was admitted with, if it has another one.
func (g *Gate) restore(ctx context.Context, key queueing.Key, group, wanted *v1beta1.PodGroup) (string, error) {
	if group.DeletionTimestamp != nil || !ownedBy(group, key) || sameReservation(group, wanted) {
		return "", nil
	}
	changed := group.DeepCopy()
	changed.Spec.MinMember, changed.Spec.MinResources, changed.Spec.Queue = wanted.Spec.MinMember, wanted.Spec.MinResources, wanted.Spec.Queue
	err := g.patch(ctx, changed, client.MergeFromWithOptions(group, client.MergeFromWithOptimisticLock{}))
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return "", nil // the watch will show what it is now
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("spec of PodGroup %s was changed by a user or another controller; it was set back, because it reserves what the attempt holds", group.Name), nil
}

// wakeLater wakes an asker after the polling interval.
func (g *Gate) wakeLater(key queueing.Key) { g.o.Waker.WakeAfter(key, g.o.Interval) }

func orUndecided(v *queueing.Verdict) queueing.Verdict {
	if v == nil {
		return queueing.Verdict{}
	}
	return *v
}
