// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// reconnectAfter is the pause before a watch that ended is opened again.
	reconnectAfter = time.Second
	// maxOutage is how long the API server may fail to answer, or refuse the credentials, before following an object
	// ends with an error. It may restart or be upgraded, and a token may be renewed.
	maxOutage = 3 * time.Minute
)

// Gone is the error if an object was deleted while it was followed.
type Gone struct {
	Kind            Kind
	Name, Namespace string
}

func (g *Gone) Error() string {
	return g.Kind.singular() + " " + g.Name + " in namespace " + g.Namespace + " was deleted"
}

// FollowApplication calls see with an application and with each of its later states, until see returns true or an
// error. It continues through outages of the API server of up to three minutes. If the application is deleted, or
// replaced by another one with the same name, it returns Gone. uid is the one to follow; if empty, the first that is
// seen.
func (c *Cluster) FollowApplication(ctx context.Context, name string, uid types.UID, see func(*v1alpha1.SparkApplication) (bool, error)) error {
	f := &followed[v1alpha1.SparkApplication, *v1alpha1.SparkApplication]{
		cluster: c, kind: Applications, name: name, uid: uid, see: see, pause: reconnectAfter, maxOutage: maxOutage,
	}
	return f.follow(ctx)
}

// FollowSchedule is FollowApplication for a schedule.
func (c *Cluster) FollowSchedule(ctx context.Context, name string, uid types.UID, see func(*v1alpha1.ScheduledSparkApplication) (bool, error)) error {
	f := &followed[v1alpha1.ScheduledSparkApplication, *v1alpha1.ScheduledSparkApplication]{
		cluster: c, kind: Schedules, name: name, uid: uid, see: see, pause: reconnectAfter, maxOutage: maxOutage,
	}
	return f.follow(ctx)
}

// sleep waits for d, or returns the error of ctx if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-clock.RealClock{}.After(d):
		return nil
	}
}

// pointerTo is the constraint of a pointer to an object of a kind.
type pointerTo[T any] interface {
	*T
	metav1.Object
}

// followed follows an object.
type followed[T any, P pointerTo[T]] struct {
	// pause is the pause before the API server is asked again; maxOutage is how long it may fail to answer.
	pause, maxOutage time.Duration
	// lost is since when it has not answered; zero if it does.
	lost time.Time

	cluster *Cluster
	kind    Kind
	name    string
	uid     types.UID
	see     func(P) (bool, error)
	// seenOnce reports that the object existed. final reports that repeating the request cannot help.
	seenOnce, final bool
}

// follow calls see with the states of the object until one of them is the last to be seen.
func (f *followed[T, P]) follow(ctx context.Context) error {
	for {
		done, err := f.once(ctx)
		switch {
		case done, f.final, err != nil && !f.seenOnce, apierrors.IsForbidden(err):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			f.lost = time.Time{}
		case f.outage(err) > f.maxOutage:
			return err
		}
		if err := sleep(ctx, f.pause); err != nil {
			return err
		}
	}
}

// outage returns for how long the API server has not answered. At the beginning of an outage it reports why.
func (f *followed[T, P]) outage(why error) time.Duration {
	now := clock.RealClock{}.Now()
	if f.lost.IsZero() {
		f.lost = now
		if f.cluster.Outage != nil {
			f.cluster.Outage(why)
		}
	}
	return now.Sub(f.lost)
}

// gone returns the error for an object that no longer exists.
func (f *followed[T, P]) gone() error { return &Gone{f.kind, f.name, f.cluster.Namespace} }

// once reads the object and watches it until the watch ends.
func (f *followed[T, P]) once(ctx context.Context) (done bool, err error) {
	object, err := GetObject[T](ctx, f.cluster, f.kind, f.name)
	if err != nil {
		if f.seenOnce && apierrors.IsNotFound(err) {
			f.final, err = true, f.gone()
		}
		return false, err
	}
	f.seenOnce = true
	if done, err := f.show(object); done || err != nil {
		return done, err
	}
	one := watching{f.cluster, f.kind, Selection{Namespace: f.cluster.Namespace, Fields: "metadata.name=" + f.name}}
	_, err = one.from(ctx, P(object).GetResourceVersion(), func(raw []byte, deleted bool) (bool, error) {
		if deleted {
			f.final = true
			return true, f.gone()
		}
		changed := new(T)
		if err := json.Unmarshal(raw, changed); err != nil {
			return true, err
		}
		done, err = f.show(changed)
		return done || err != nil, err
	})
	return done, err
}

func (f *followed[T, P]) show(object P) (bool, error) {
	if f.uid == "" {
		f.uid = object.GetUID()
	}
	if object.GetUID() != f.uid {
		f.final = true
		return false, f.gone()
	}
	done, err := f.see(object)
	f.final = f.final || err != nil
	return done, err
}

// IsGone reports whether err means that the object was deleted while it was followed.
func IsGone(err error) bool {
	var gone *Gone
	return errors.As(err, &gone)
}

// IsNotFound reports whether err means that the object does not exist.
func IsNotFound(err error) bool { return apierrors.IsNotFound(err) }
