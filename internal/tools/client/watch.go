// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Observer receives what a watch sees, from one goroutine. T is the type of the objects, or one with only the fields
// that matter.
type Observer[T any] interface {
	// Replace is called with all objects that exist. Objects that were known before and are not among them are gone.
	Replace(all []T)
	// Change is called with an object that was created, changed or deleted.
	Change(object *T, deleted bool)
	// Lost is called with the reason why nothing can be read for now. The next call of Replace ends that.
	Lost(why error)
}

// Watch reports the selected objects to an observer until ctx ends. It continues through outages of the API server. It
// returns an error if the first list fails, or if the caller loses the right to list.
func Watch[T any](ctx context.Context, c *Cluster, kind Kind, s Selection, o Observer[T]) error {
	return Listen(ctx, c, kind, s, &collector[T]{Observer: o})
}

// collector collects the objects of a list, for Replace.
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
	// They may be many, and the watch lasts long.
	c.all = nil
}

func (c *collector[T]) Changed(object []byte, deleted bool) error {
	item := new(T)
	if err := json.Unmarshal(object, item); err != nil {
		return err
	}
	c.Change(item, deleted)
	return nil
}

// Listener receives what a watch reads, as it is read. Objects are JSON that is overwritten after the call. If a method
// returns an error, the list or watch ends and begins anew.
type Listener interface {
	// Begin is called at the begin of a list, also of one that replaces an incomplete list.
	Begin()
	// Listed is called with each object of the list.
	Listed(object []byte) error
	// Complete is called at the end of the list. Objects that were known before and are not in the list are gone.
	Complete()
	// Changed is called with an object that was created, changed or deleted.
	Changed(object []byte, deleted bool) error
	// Lost is called with the reason why nothing can be read for now. The next complete list ends that.
	Lost(why error)
}

// Listen is Watch for a listener that receives each object as soon as it arrives.
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
			watching{c, kind, s}.listen(ctx, version, l)
		}
		_ = sleep(ctx, reconnectAfter) // the condition of the loop checks ctx
	}
	return nil
}

// watching is what a watch reads.
type watching struct {
	cluster   *Cluster
	kind      Kind
	selection Selection
}

// listen reads changes from a version on, through several watches, until the API server no longer has that version or
// does not answer. A server that ends every watch at once is asked again after a pause.
func (w watching) listen(ctx context.Context, version string, l Listener) {
	for before := ""; version != "" && version != before && ctx.Err() == nil; {
		before = version
		var err error
		version, err = w.from(ctx, version, func(object []byte, deleted bool) (bool, error) {
			err := l.Changed(object, deleted)
			return err != nil, nil
		})
		if err != nil && ctx.Err() == nil && !apierrors.IsResourceExpired(err) {
			l.Lost(err)
		}
	}
}

// watchSeconds is how long the API server keeps one watch open.
const watchSeconds = "290"

// from calls see with the objects that change after a version, as JSON, until see reports that it has seen enough,
// or until the watch ends. It returns the version that it has reached; empty if what follows has to begin with reading
// the objects again.
func (w watching) from(ctx context.Context, version string, see func(object []byte, deleted bool) (bool, error)) (string, error) {
	request := w.kind.in(w.cluster.client.Get(), w.selection.Namespace).Param("watch", "true").Param("allowWatchBookmarks", "true").
		Param("resourceVersion", version).Param("timeoutSeconds", watchSeconds)
	w.selection.narrow(request)
	stream, err := request.Stream(ctx)
	if err != nil {
		return "", w.cluster.explain(ctx, err, action{"watch", w.kind.Resource, w.kind.where(w.selection.Namespace), ""})
	}
	defer stream.Close()
	for events := json.NewDecoder(stream); ; {
		var event metav1.WatchEvent
		if events.Decode(&event) != nil {
			return version, nil // the watch has ended
		}
		var known struct {
			metav1.ObjectMeta `json:"metadata"`
		}
		// An error is mostly an expired version.
		if watch.EventType(event.Type) == watch.Error || json.Unmarshal(event.Object.Raw, &known) != nil {
			return "", nil
		}
		version = known.ResourceVersion
		if watch.EventType(event.Type) == watch.Bookmark {
			continue
		}
		if enough, err := see(event.Object.Raw, watch.EventType(event.Type) == watch.Deleted); enough || err != nil {
			return "", err
		}
	}
}
