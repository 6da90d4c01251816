// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// watchSeconds is how long the API server keeps one watch open.
	watchSeconds = "290"
	// reconnectAfter is the pause before a watch that ended is opened again.
	reconnectAfter = time.Second
	// patience is for how long the API server may fail to answer before that is an error: it may restart, or be replaced by
	// another version.
	patience = 3 * time.Minute
)

// Gone is the error for an application that was deleted while it was followed.
type Gone struct{ Name, Namespace string }

func (g *Gone) Error() string {
	return "sparkapplication " + g.Name + " in namespace " + g.Namespace + " was deleted"
}

// FollowApplication calls see with an application and with each of its later states, until see returns true or an
// error. It survives outages of the API server of a few minutes. An application of the same name with another uid is not the one
// that is followed, which then is Gone; an empty uid stands for that of the first.
func (c *Cluster) FollowApplication(ctx context.Context, name string, uid types.UID, see func(*v1alpha1.SparkApplication) (bool, error)) error {
	f := &followed{cluster: c, name: name, uid: uid, see: see, pause: reconnectAfter, patience: patience}
	return f.follow(ctx)
}

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-clock.RealClock{}.After(d):
		return nil
	}
}

// followed is an application that is followed.
type followed struct {
	// pause before the API server is asked again, and patience with it.
	pause, patience time.Duration
	// lost is since when it does not answer; zero if it does.
	lost time.Time

	cluster *Cluster
	name    string
	uid     types.UID
	see     func(*v1alpha1.SparkApplication) (bool, error)
	// seenOnce: it existed. final: an error that no repetition mends.
	seenOnce, final bool
}

// follow shows states until there is no more to be seen.
func (f *followed) follow(ctx context.Context) error {
	for {
		done, err := f.once(ctx)
		switch {
		case done, f.final, err != nil && !f.seenOnce, apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			f.lost = time.Time{}
		case f.outage(err) > f.patience:
			return err
		}
		if err := sleep(ctx, f.pause); err != nil {
			return err
		}
	}
}

// outage returns how long the API server has not answered. At first it tells why.
func (f *followed) outage(why error) time.Duration {
	now := clock.RealClock{}.Now()
	if f.lost.IsZero() {
		f.lost = now
		if f.cluster.Outage != nil {
			f.cluster.Outage(why)
		}
	}
	return now.Sub(f.lost)
}

// once reads the application and watches it until the watch ends.
func (f *followed) once(ctx context.Context) (done bool, err error) {
	app, err := GetObject[v1alpha1.SparkApplication](ctx, f.cluster, Applications, f.name)
	if err != nil {
		if f.seenOnce && apierrors.IsNotFound(err) {
			f.final, err = true, &Gone{f.name, f.cluster.Namespace}
		}
		return false, err
	}
	f.seenOnce = true
	if done, err := f.show(&app); done || err != nil {
		return done, err
	}
	stream, err := f.cluster.client.Get().AbsPath(Applications.path(f.cluster.Namespace)...).
		Param("watch", "true").Param("fieldSelector", "metadata.name="+f.name).Param("resourceVersion", app.ResourceVersion).
		Param("timeoutSeconds", watchSeconds).Stream(ctx)
	if err != nil {
		return false, f.cluster.explain(ctx, err, action{"watch", Applications.Resource, f.cluster.Namespace, ""})
	}
	defer stream.Close()
	return f.read(stream)
}

func (f *followed) show(app *v1alpha1.SparkApplication) (bool, error) {
	if f.uid == "" {
		f.uid = app.UID
	}
	if app.UID != f.uid {
		f.final = true
		return false, &Gone{f.name, f.cluster.Namespace}
	}
	done, err := f.see(app)
	f.final = f.final || err != nil
	return done, err
}

// read shows what a watch brings until it ends.
func (f *followed) read(stream io.Reader) (done bool, err error) {
	events := json.NewDecoder(stream)
	for {
		var event metav1.WatchEvent
		if err := events.Decode(&event); err != nil {
			return false, nil // the watch has ended; the next look begins anew
		}
		switch watch.EventType(event.Type) {
		case watch.Added, watch.Modified:
			app := &v1alpha1.SparkApplication{}
			if err := json.Unmarshal(event.Object.Raw, app); err != nil {
				return false, err
			}
			if done, err := f.show(app); done || err != nil {
				return done, err
			}
		case watch.Deleted:
			f.final = true
			return false, &Gone{f.name, f.cluster.Namespace}
		case watch.Bookmark, watch.Error: // an expired version: the next look begins anew
			return false, nil
		}
	}
}

// IsGone reports whether an error says that the application was deleted.
func IsGone(err error) bool {
	var gone *Gone
	return errors.As(err, &gone)
}

// IsNotFound reports whether an error says that the object does not exist.
func IsNotFound(err error) bool { return apierrors.IsNotFound(err) }
