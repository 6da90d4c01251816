// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Observer is told what a watch sees, by one goroutine.
type Observer interface {
	// Replace has all applications that there are; those known before and not among them are gone.
	Replace(all []v1alpha1.SparkApplication)
	// Change has one that was created, changed or deleted.
	Change(app *v1alpha1.SparkApplication, deleted bool)
	// Lost says why nothing can be seen for now; another call of Replace ends that.
	Lost(why error)
}

// WatchApplications tells an observer of the applications of a selection until ctx ends. It outlives outages of the API
// server. An error says why there is nothing to watch: the first list failed, or the right to list is gone.
func (c *Cluster) WatchApplications(ctx context.Context, s Selection, o Observer) error {
	for seen := false; ctx.Err() == nil; {
		all, version, err := listVersioned[v1alpha1.SparkApplication](ctx, c, Applications, s)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (!seen || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)):
			return err
		case err != nil:
			o.Lost(err)
		default:
			seen = true
			o.Replace(all)
			all = nil // they may be many, and the watch is long
			c.changesSince(ctx, s, version, o)
		}
		_ = sleep(ctx, reconnectAfter) // the loop sees that ctx has ended
	}
	return nil
}

// changesSince reads changes until there are no more to be had from this version on.
func (c *Cluster) changesSince(ctx context.Context, s Selection, version string, o Observer) {
	for version != "" && ctx.Err() == nil {
		request := c.client.Get().AbsPath(Applications.path(s.Namespace)...).Param("watch", "true").Param("allowWatchBookmarks", "true").
			Param("resourceVersion", version).Param("timeoutSeconds", watchSeconds)
		if s.Labels != "" {
			request.Param("labelSelector", s.Labels)
		}
		stream, err := request.Stream(ctx)
		if err != nil {
			if ctx.Err() == nil && !apierrors.IsResourceExpired(err) {
				o.Lost(c.explain(ctx, err, action{"watch", Applications.Resource, s.Namespace, ""}))
			}
			return
		}
		before := version
		version = readChanges(stream, version, o)
		_ = stream.Close() // it was only read
		if version == before {
			return // a server that ends every watch at once is asked again after a pause
		}
	}
}

// readChanges reads a watch to its end and returns the version that it has reached; none if it is too old.
func readChanges(stream io.Reader, version string, o Observer) string {
	for events := json.NewDecoder(stream); ; {
		var event metav1.WatchEvent
		if events.Decode(&event) != nil {
			return version
		}
		app := &v1alpha1.SparkApplication{}
		if watch.EventType(event.Type) == watch.Error || json.Unmarshal(event.Object.Raw, app) != nil {
			return ""
		}
		version = app.ResourceVersion
		if watch.EventType(event.Type) != watch.Bookmark {
			o.Change(app, watch.EventType(event.Type) == watch.Deleted)
		}
	}
}
