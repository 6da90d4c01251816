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
)

// Observer learns what a watch of objects sees, from one goroutine. T is the kind, or as much of it as is wanted.
type Observer[T any] interface {
	// Replace has all objects that there are; those known before and not among them are gone.
	Replace(all []T)
	// Change has one that was created, changed or deleted.
	Change(object *T, deleted bool)
	// Lost says why nothing can be seen for now; another call of Replace ends that.
	Lost(why error)
}

// Watch shows an observer the objects of a selection until ctx ends. It outlives outages of the API server. An error says
// why there is nothing to watch: the first list failed, or the right to list is gone.
func Watch[T any](ctx context.Context, c *Cluster, kind Kind, s Selection, o Observer[T]) error {
	for seen := false; ctx.Err() == nil; {
		all, version, err := listVersioned[T](ctx, c, kind, s)
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
			w := watching[T]{cluster: c, kind: kind, selection: s, observer: o}
			w.since(ctx, version)
		}
		_ = sleep(ctx, reconnectAfter) // the loop sees that ctx has ended
	}
	return nil
}

// watching is what a watch is about.
type watching[T any] struct {
	cluster   *Cluster
	kind      Kind
	selection Selection
	observer  Observer[T]
}

// since reads changes until there are no more to be had from this version on.
func (w *watching[T]) since(ctx context.Context, version string) {
	for version != "" && ctx.Err() == nil {
		request := w.cluster.client.Get().AbsPath(w.kind.path(w.selection.Namespace)...).Param("watch", "true").Param("allowWatchBookmarks", "true").
			Param("resourceVersion", version).Param("timeoutSeconds", watchSeconds)
		w.selection.narrow(request)
		stream, err := request.Stream(ctx)
		if err != nil {
			if ctx.Err() == nil && !apierrors.IsResourceExpired(err) {
				w.observer.Lost(w.cluster.explain(ctx, err, action{"watch", w.kind.Resource, w.kind.where(w.selection.Namespace), ""}))
			}
			return
		}
		before := version
		version = readChanges(stream, version, w.observer)
		_ = stream.Close() // it was only read
		if version == before {
			return // a server that ends every watch at once is asked again after a pause
		}
	}
}

// readChanges reads a watch to its end and returns the version that it has reached; none if it is too old.
func readChanges[T any](stream io.Reader, version string, o Observer[T]) string {
	for events := json.NewDecoder(stream); ; {
		var event metav1.WatchEvent
		if events.Decode(&event) != nil {
			return version
		}
		var known struct {
			metav1.ObjectMeta `json:"metadata"`
		}
		if watch.EventType(event.Type) == watch.Error || json.Unmarshal(event.Object.Raw, &known) != nil {
			return ""
		}
		version = known.ResourceVersion
		if watch.EventType(event.Type) == watch.Bookmark {
			continue
		}
		object := new(T)
		if json.Unmarshal(event.Object.Raw, object) != nil {
			return ""
		}
		o.Change(object, watch.EventType(event.Type) == watch.Deleted)
	}
}
