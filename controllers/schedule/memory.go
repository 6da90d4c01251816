// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// memory holds what the operator knows about schedules ahead of the cache. It is safe for concurrent use.
type memory struct {
	mu    sync.Mutex
	known map[types.NamespacedName]*record
}

// of returns the record of a schedule. It needs no lock, because a schedule is reconciled by one worker at a time.
func (m *memory) of(s *v1alpha1.ScheduledSparkApplication) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
	if e := m.known[name]; e != nil && e.schedule == s.UID {
		return e
	}
	e := &record{schedule: s.UID, created: map[string]bool{}}
	m.known[name] = e
	return e
}

// forget drops the record of a schedule that is gone.
func (m *memory) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, name)
}

// record is what the operator knows about one schedule ahead of the cache.
type record struct {
	schedule types.UID
	// created are the names of the created applications that the cache does not show yet.
	created map[string]bool
	// version is the resource version of the last own write.
	version expectations.Version
	// last is the last application that this process has created.
	last       creation
	rejected   rejections
	superseded superseded
	template   templateCheck
}

// rejections are the last applications that could not be created: of a tick, of a requested run and of a requested past
// time.
type rejections struct {
	tick          string
	request, past rejection
}

// superseded are the stalled applications that were deleted for the next run and are not yet recorded in the status.
type superseded struct {
	apps []tick.Child
	// writing is how many of them a write of the status would record, until it is known to have succeeded.
	// status.missed then counts total of them.
	writing int
	total   int64
}

// settle removes and returns those that the status records, if it counts so many. They would be counted twice if the
// answer to the write was lost.
func (s *superseded) settle(count int64) (recorded []tick.Child) {
	if s.writing > 0 && count >= s.total {
		recorded, s.apps = s.apps[:s.writing], s.apps[s.writing:]
	}
	s.writing = 0
	return recorded
}

// templateCheck is what is known of the template of a schedule.
type templateCheck struct {
	// valid is the last generation whose template is valid. An invalid template is checked again, because the policy
	// that refuses it can change.
	valid int64
	// unanswered is the last generation whose template the API server could not check, and asked is when it was tried.
	unanswered int64
	asked      time.Time
}

// rejection is a run whose application could not be created, and why.
type rejection struct{ run, message string }

// creation is a run whose application was created, the request for it, and when.
type creation struct {
	run, request string
	at           time.Time
}

// is reports whether it is the creation of a run. A new request for a past time is another run of the same name.
func (c creation) is(run *tick.Run) bool { return c.run == run.Name && c.request == run.Request }

// forgetPast forgets the last application that this process has created for a past time, once there is another request:
// one with the same text is to create it again.
func (e *record) forgetPast(before, after *v1alpha1.RunForStatus) {
	if e.last.request != "" && (before == nil || after == nil || before.Request != after.Request) {
		e.last = creation{}
	}
}

// isStale reports whether the cache shows the schedule from before the last own write. The watch event of that write
// wakes the schedule again.
func (e *record) isStale(s *v1alpha1.ScheduledSparkApplication) bool {
	return !e.version.SatisfiedBy(s.ResourceVersion)
}
