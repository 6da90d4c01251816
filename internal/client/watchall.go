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
	return Listen(ctx, c, kind, s, &collector[T]{Observer: o})
}

// collector shows lists as a whole.
type collector[T any] struct {
	Observer[T]
	all []T
}

func (c *collector[T]) Begin() { c.all = nil }

func (c *collector[T]) Listed(object []byte) error {
	var item T
	if err := json.Unmarshal(object, &item); err != nil {
		return err
	}
	c.all = append(c.all, item)
	return nil
}

func (c *collector[T]) Complete() {
	c.Replace(c.all)
	c.all = nil // they may be many, and the watch is long
}

func (c *collector[T]) Changed(object []byte, deleted bool) error {
	item := new(T)
	if err := json.Unmarshal(object, item); err != nil {
		return err
	}
	c.Change(item, deleted)
	return nil
}

// Listener learns what a watch of objects sees while it is read. Objects are JSON, which is overwritten after the call; a
// listener that cannot decode one ends the list or the watch, which then begins anew.
type Listener interface {
	// Begin says that a list begins, perhaps in place of one that broke off.
	Begin()
	// Listed has an object of the list.
	Listed(object []byte) error
	// Complete ends the list: objects that were known before and not among it are gone.
	Complete()
	// Changed has an object that was created, changed or deleted.
	Changed(object []byte, deleted bool) error
	// Lost says why nothing can be seen for now; another complete list ends that.
	Lost(why error)
}

// Listen is Watch for a listener that wants each object as soon as it arrives.
func Listen(ctx context.Context, c *Cluster, kind Kind, s Selection, l Listener) error {
	for seen := false; ctx.Err() == nil; {
		l.Begin()
		var object json.RawMessage
		version, err := listEach(ctx, c, kind, s, func(in *json.Decoder) error {
			if err := in.Decode(&object); err != nil {
				return err
			}
			return l.Listed(object)
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (!seen || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)):
			return err
		case err != nil:
			l.Lost(err)
		default:
			seen, object = true, nil
			l.Complete()
			w := watching{cluster: c, kind: kind, selection: s, listener: l}
			w.since(ctx, version)
		}
		_ = sleep(ctx, reconnectAfter) // the loop sees that ctx has ended
	}
	return nil
}

// watching is what a watch is about.
type watching struct {
	cluster   *Cluster
	kind      Kind
	selection Selection
	listener  Listener
}

// since reads changes until there are no more to be had from this version on.
func (w *watching) since(ctx context.Context, version string) {
	for version != "" && ctx.Err() == nil {
		request := w.cluster.client.Get().AbsPath(w.kind.path(w.selection.Namespace)...).Param("watch", "true").Param("allowWatchBookmarks", "true").
			Param("resourceVersion", version).Param("timeoutSeconds", watchSeconds)
		w.selection.narrow(request)
		stream, err := request.Stream(ctx)
		if err != nil {
			if ctx.Err() == nil && !apierrors.IsResourceExpired(err) {
				w.listener.Lost(w.cluster.explain(ctx, err, action{"watch", w.kind.Resource, w.kind.where(w.selection.Namespace), ""}))
			}
			return
		}
		before := version
		version = readChanges(stream, version, w.listener)
		_ = stream.Close() // it was only read
		if version == before {
			return // a server that ends every watch at once is asked again after a pause
		}
	}
}

// readChanges reads a watch to its end and returns the version that it has reached; none if it is too old.
func readChanges(stream io.Reader, version string, l Listener) string {
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
		if l.Changed(event.Object.Raw, watch.EventType(event.Type) == watch.Deleted) != nil {
			return ""
		}
	}
}
