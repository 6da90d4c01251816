// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/resourceversions"
	"github.com/sparkgate/sparkgate/internal/tick"
)

// memory holds what the operator knows about schedules ahead of the cache. It is safe for concurrent use.
type memory struct {
	mu    sync.Mutex
	known map[types.NamespacedName]*expectations
}

// of returns the expectations of a schedule. They need no lock, because a schedule is reconciled by one worker at a
// time.
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

// forget drops the expectations of a schedule that is gone.
func (m *memory) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, name)
}

// expectations is what the operator knows about one schedule ahead of the cache.
type expectations struct {
	schedule types.UID
	// created are the names of the created applications that the cache does not show yet.
	created map[string]bool
	// last is the last application that this process has created.
	last creation
	// refused is the name of the last application of a tick that could not be created.
	refused string
	// refusedRequest is the last application of a requested run that could not be created.
	refusedRequest refusal
	// refusedPast is the last application of a requested past time that could not be created.
	refusedPast refusal
	// superseded are the stalled applications that were deleted for the next run and are not yet recorded in the
	// status.
	superseded []tick.Child
	// recording is the write of the status that would record them, until it is known to have succeeded.
	recording recording
	// version is the resource version of the last own write.
	version string
	// checked is the last generation whose template is valid. An invalid template is checked again, because the policy
	// that refuses it can change.
	checked int64
	// unanswered is the last generation whose template the API server could not check, and asked is when it was tried.
	unanswered int64
	asked      time.Time
}

// recording is a write of the status that records the first n superseded applications: status.missed then counts total of
// them.
type recording struct {
	n     int
	total int64
}

// refusal is a run whose application could not be created, and why.
type refusal struct{ run, message string }

// creation is a run whose application was created, the request for it, and when.
type creation struct {
	run, request string
	at           time.Time
}

// is reports whether it is the creation of a run. A new request for a past time is another run of the same name.
func (c creation) is(run *tick.Run) bool { return c.run == run.Name && c.request == run.Request }

// forgetPast forgets the last application that this process has created for a past time, once there is another request:
// one with the same text is to create it again.
func (e *expectations) forgetPast(before, after *v1alpha1.RunForStatus) {
	if e.last.request != "" && (before == nil || after == nil || before.Request != after.Request) {
		e.last = creation{}
	}
}

// isStale reports whether the cache shows the schedule from before the last own write. The watch event of that write
// wakes the schedule again.
func (e *expectations) isStale(s *v1alpha1.ScheduledSparkApplication) bool {
	return resourceversions.Older(s.ResourceVersion, e.version)
}
