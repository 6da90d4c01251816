// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Event is an event of a watch with its time of arrival.
type Event[T client.Object] struct {
	At     time.Time
	Type   watch.EventType
	Object T
}

// History records the events of a watch until it is stopped.
type History[T client.Object] struct {
	watch  watch.Interface
	done   chan struct{}
	events []Event[T]
}

// Follow records the states of objects from now on, starting with those that exist.
func Follow[T client.Object](ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) (*History[T], error) {
	w, err := c.Watch(ctx, list, options...)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	h := &History[T]{watch: w, done: make(chan struct{})}
	go func() {
		defer close(h.done)
		for event := range w.ResultChan() {
			if obj, ok := event.Object.(T); ok {
				h.events = append(h.events, Event[T]{At: time.Now(), Type: event.Type, Object: obj})
			}
		}
	}()
	return h, nil
}

// Stop ends the recording and returns it. It may be called again.
func (h *History[T]) Stop() []Event[T] {
	h.watch.Stop()
	<-h.done
	return h.events
}

// Counter waits for a number of events of one type.
type Counter struct {
	watch watch.Interface
	kind  watch.EventType
}

// Count starts to count events of objects of the list's kind.
func Count(ctx context.Context, c client.WithWatch, kind watch.EventType, list client.ObjectList, options ...client.ListOption) (*Counter, error) {
	w, err := c.Watch(ctx, list, options...)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	return &Counter{watch: w, kind: kind}, nil
}

// Wait returns when the n-th event has arrived. Call it once.
func (c *Counter) Wait(ctx context.Context, n int) (time.Time, error) {
	defer c.watch.Stop()
	for seen := 0; seen < n; {
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("%d of %d objects were %s: %w", seen, n, c.kind, context.Cause(ctx))
		case event, open := <-c.watch.ResultChan():
			if !open {
				return time.Time{}, fmt.Errorf("%d of %d objects were %s when the watch ended", seen, n, c.kind)
			}
			if event.Type == c.kind {
				seen++
			}
		}
	}
	return time.Now(), nil
}
