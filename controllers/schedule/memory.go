// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tick"
)

// memory holds what the operator knows of schedules before the cache does. It is safe for concurrent use.
type memory struct {
	mu    sync.Mutex
	known map[types.NamespacedName]*expectations
}

// of returns what is known of a schedule. Only one pass of a schedule runs at a time, so its answer needs no lock.
func (m *memory) of(s *v1alpha1.ScheduledSparkApplication) *expectations {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
	if e := m.known[name]; e != nil && e.schedule == s.UID {
		return e
	}
	e := &expectations{schedule: s.UID, created: map[string]bool{}}
	m.known[name] = e
	return e
}

// forget drops what is known of a schedule that is gone.
func (m *memory) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, name)
}

// expectations of one schedule.
type expectations struct {
	schedule types.UID
	// created are applications that the cache has not shown yet, by name.
	created map[string]bool
	// last is the last application that this process has created.
	last creation
	// refused is the name of the last application that could not be created for a tick.
	refused string
	// refusedRequest is the last application for a token that could not be created.
	refusedRequest refusal
	// superseded are applications that could not start and were deleted for the next run, until the status says so.
	superseded []tick.Child
	// version is the resource version of the last own write.
	version string
	// checked is the last generation whose template was found valid. An invalid template is checked again: the policy that refuses it
	// can change.
	checked int64
	// unanswered is the last generation of whose template the API server could not say whether it is right, when it was asked at asked.
	unanswered int64
	asked      time.Time
}

// refusal of the application of a run, with a message that says why.
type refusal struct{ run, message string }

// creation of the application of a run.
type creation struct {
	run string
	at  time.Time
}

// isStale reports whether the cache shows the schedule as it was before the last own write. The watch wakes the schedule when it has caught up.
func (e *expectations) isStale(s *v1alpha1.ScheduledSparkApplication) bool {
	if e.version == "" {
		return false
	}
	older, err := resourceversion.CompareResourceVersion(s.ResourceVersion, e.version)
	return err == nil && older < 0
}
