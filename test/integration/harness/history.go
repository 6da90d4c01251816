// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// History records every version of the applications and pods of one namespace, in the order in which the API server
// stored them, and checks the invariants of all versions at the end of the test. It is safe for concurrent use.
type History struct {
	// MemoryLimit is the memory in bytes that all pods together, and all grants together, may hold at any time; 0 means
	// no limit. Set it before the test's first write.
	MemoryLimit int64
	// LateDrivers allows drivers that are created when they are no longer wanted, as may happen if an operator is
	// paused while it creates one. Set it before the test's first write.
	LateDrivers bool
	// Replaced allows applications without a finalizer for a while, as is the case if a tool replaces whole
	// applications and the operator has to add the finalizer again. Set it before the test's first write.
	Replaced bool

	t  *testing.T
	mu sync.Mutex
	// events are by resource version.
	events []event
}

// event is one version of one object.
type event struct {
	version uint64
	kind    watch.EventType
	app     *v1alpha1.SparkApplication
	pod     *corev1.Pod
}

// Record starts a history of a namespace that is still empty.
func Record(t *testing.T, namespace string) *History {
	t.Helper()
	h := &History{t: t}
	var running sync.WaitGroup
	var streams []watch.Interface
	for _, list := range []client.ObjectList{&v1alpha1.SparkApplicationList{}, &corev1.PodList{}} {
		stream := endless(t, list, namespace)
		streams = append(streams, stream)
		running.Go(func() { h.follow(stream) })
	}
	t.Cleanup(func() {
		h.catchUp(namespace)
		for _, stream := range streams {
			stream.Stop()
		}
		running.Wait()
		h.checkInvariants()
	})
	return h
}

func (h *History) follow(stream watch.Interface) {
	for e := range stream.ResultChan() {
		next := event{kind: e.Type}
		switch obj := e.Object.(type) {
		case *v1alpha1.SparkApplication:
			next.app, next.version = obj, version(obj)
		case *corev1.Pod:
			next.pod, next.version = obj, version(obj)
		default:
			continue
		}
		h.mu.Lock()
		h.events = append(h.events, next)
		h.mu.Unlock()
	}
}

// Life is one application with the resource versions of its creation and deletion; Gone is 0 while it exists.
type Life struct {
	Name          string
	Created, Gone uint64
}

// Lives returns all applications until now, in the order of their creation.
func (h *History) Lives(namespace string) []Life {
	h.t.Helper()
	h.catchUp(namespace)
	h.mu.Lock()
	defer h.mu.Unlock()
	byUID := map[types.UID]*Life{}
	for _, e := range h.events {
		if e.app == nil {
			continue
		}
		life := byUID[e.app.UID]
		if life == nil {
			life = &Life{Name: e.app.Name, Created: e.version}
			byUID[e.app.UID] = life
		}
		if e.kind == watch.Deleted {
			life.Gone = e.version
		}
	}
	var lives []Life
	for _, life := range byUID {
		lives = append(lives, *life)
	}
	slices.SortFunc(lives, func(a, b Life) int { return cmp.Compare(a.Created, b.Created) })
	return lives
}

// catchUp waits until the history has everything that the API server has now: the watches of applications and pods are
// not equally fast.
func (h *History) catchUp(namespace string) {
	h.t.Helper()
	for _, list := range []client.ObjectList{&corev1.PodList{}, &v1alpha1.SparkApplicationList{}} {
		if err := env.Client().List(context.Background(), list, client.InNamespace(namespace)); err != nil {
			h.t.Errorf("list what is left: %v", err)
			return
		}
		objects, err := apimeta.ExtractList(list)
		if err != nil {
			h.t.Errorf("list what is left: %v", err)
			return
		}
		var latest uint64
		for _, obj := range objects {
			latest = max(latest, version(obj.(client.Object)))
		}
		err = wait.PollUntilContextTimeout(context.Background(), interval, patience, true, func(context.Context) (bool, error) {
			return h.has(latest), nil
		})
		if err != nil {
			h.t.Errorf("the history does not reach version %d", latest)
		}
	}
}

// has reports whether the event of the given version was received; 0 stands for none.
func (h *History) has(version uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return version == 0 || slices.ContainsFunc(h.events, func(e event) bool { return e.version == version })
}

// version returns the resource version of an object. All objects share one sequence, that of etcd.
func version(obj client.Object) uint64 {
	n, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// inOrder returns all events in the order in which they were stored.
func (h *History) inOrder() []event {
	h.mu.Lock()
	defer h.mu.Unlock()
	events := slices.Clone(h.events)
	slices.SortStableFunc(events, func(a, b event) int { return int(int64(a.version) - int64(b.version)) })
	return events
}

// Versions returns all versions of an application, at least up to the given one.
func (h *History) Versions(app *v1alpha1.SparkApplication) []*v1alpha1.SparkApplication {
	h.t.Helper()
	var found []*v1alpha1.SparkApplication
	err := wait.PollUntilContextTimeout(context.Background(), 5*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		found = nil
		for _, e := range h.inOrder() {
			if e.app != nil && e.app.UID == app.UID && e.kind != watch.Deleted {
				found = append(found, e.app)
			}
		}
		return len(found) > 0 && version(found[len(found)-1]) >= version(app), nil
	})
	if err != nil {
		h.t.Fatalf("the history of %s does not reach version %s", app.Name, app.ResourceVersion)
	}
	return found
}

// Stages returns the stages of an application, each with its run and attempt: "1/1 Running".
func (h *History) Stages(app *v1alpha1.SparkApplication) []string {
	h.t.Helper()
	var stages []string
	for _, v := range h.Versions(app) {
		if Stage(v) != "" {
			stages = append(stages, fmt.Sprintf("%d/%d %s", v.Status.Run, v.Status.Attempt, Stage(v)))
		}
	}
	return slices.Compact(stages)
}

// Messages returns the messages of Ready that an application had in a stage, without consecutive duplicates.
func (h *History) Messages(app *v1alpha1.SparkApplication, stage string) []string {
	h.t.Helper()
	var messages []string
	for _, v := range h.Versions(app) {
		if Stage(v) == stage {
			messages = append(messages, Message(v))
		}
	}
	return slices.Compact(messages)
}

// checkInvariants reports every version in the history that breaks an invariant.
func (h *History) checkInvariants() {
	h.t.Helper()
	m := &moment{t: h.t, limit: h.MemoryLimit, lateDrivers: h.LateDrivers, replaced: h.Replaced, reported: map[string]bool{},
		apps: map[types.UID]*v1alpha1.SparkApplication{}, pods: map[types.UID]*corev1.Pod{}}
	for _, e := range h.inOrder() {
		switch {
		case e.app != nil:
			m.sawApplication(e)
		case e.pod != nil:
			m.sawPod(e)
		}
	}
}
