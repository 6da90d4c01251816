// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Event is one version of an object as the API server sent it; Gone reports whether this was its last.
type Event[T client.Object] struct {
	Object T
	Gone   bool
}

// history has everything that happened in a namespace, in the order of the API server for each kind. Objects in it are
// never changed. It is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	apps   []Event[*v1alpha1.SparkApplication]
	queues []Event[*v1alpha1.SparkQueue]
	pods   []Event[*corev1.Pod]
	// patient reports whether a gap is filled as well as possible.
	patient bool
	// broken is set if the record has a gap.
	broken error
	// changed is closed when something is added.
	changed chan struct{}
}

// startHistory starts the record. Everything that happens after it has returned is in the record.
func startHistory(ctx context.Context, namespace string) (*history, error) {
	h := &history{changed: make(chan struct{})}
	for _, kind := range []struct {
		list client.ObjectList
		in   client.ListOption
	}{
		{&v1alpha1.SparkApplicationList{}, client.InNamespace(namespace)},
		{&v1alpha1.SparkQueueList{}, client.MatchingLabels{namespaceLabel: namespace}},
		{&corev1.PodList{}, client.InNamespace(namespace)},
	} {
		// A namespace is new: only the version from which to watch matters.
		if err := cluster.client.List(ctx, kind.list, kind.in); err != nil {
			return nil, fmt.Errorf("begin to watch: %w", err)
		}
		go h.follow(ctx, kind.list, kind.in)
	}
	return h, nil
}

// follow records one kind, from the version of the list on, until ctx ends.
func (h *history) follow(ctx context.Context, list client.ObjectList, in client.ListOption) {
	version := list.GetResourceVersion()
	for ctx.Err() == nil {
		w, err := cluster.client.Watch(ctx, list, in, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
		if err == nil {
			version, err = h.drain(w, version)
		}
		if err != nil && h.isPatient() {
			version, err = h.catchUp(ctx, list, in)
		}
		if err != nil && ctx.Err() == nil {
			h.breakOff(fmt.Errorf("watch %T: %w", list, err))
			return
		}
	}
}

// drain records the events of one watch, and returns the version from which to continue.
func (h *history) drain(w watch.Interface, version string) (string, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			return version, apierrors.FromObject(event.Object)
		}
		obj, ok := event.Object.(client.Object)
		if !ok {
			return version, fmt.Errorf("unexpected event of %T", event.Object)
		}
		version = obj.GetResourceVersion()
		h.add(obj, event.Type == watch.Deleted)
	}
	return version, nil
}

func (h *history) add(obj client.Object, gone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch o := obj.(type) {
	case *v1alpha1.SparkApplication:
		h.apps = append(h.apps, Event[*v1alpha1.SparkApplication]{o, gone})
	case *v1alpha1.SparkQueue:
		h.queues = append(h.queues, Event[*v1alpha1.SparkQueue]{o, gone})
	case *corev1.Pod:
		h.pods = append(h.pods, Event[*corev1.Pod]{o, gone})
	}
	h.notify()
}

func (h *history) breakOff(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = err
	h.notify()
}

// notify wakes all goroutines that wait. The caller holds the lock.
func (h *history) notify() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// next returns a channel that is closed when something is added after this call.
func (h *history) next() (<-chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed, h.broken
}

// eventsOf returns a copy of the events of one name, or of all names if name is empty.
func eventsOf[T client.Object](h *history, events *[]Event[T], name string) []Event[T] {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []Event[T]
	for _, e := range *events {
		if name == "" || e.Object.GetName() == name {
			found = append(found, e)
		}
	}
	return found
}
