// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/queueing"
)

// tracker records which askers to wake, and writes of the gate that its watches have not shown yet. None of this has to
// survive the process. It is safe for concurrent use.
type tracker struct {
	waker queueing.Waker
	mu    sync.Mutex
	// entries are the askers that request or hold quota, by uid. named holds their keys by name.
	entries map[string]*entry
	named   map[queueing.Key][]queueing.Key
	// deleted are the groups that this process has deleted and that the watch still shows.
	deleted map[types.UID]bool
	// queues is the last seen state of each queue, as far as verdicts depend on it. parents is the parent of each
	// queue.
	queues, parents map[string]string
}

type entry struct {
	key   queueing.Key
	queue string
	// unseen are the names of groups that were created and that the watch has not shown yet.
	unseen map[string]bool
}

func newTracker(waker queueing.Waker) *tracker {
	return &tracker{
		waker: waker, entries: map[string]*entry{}, named: map[queueing.Key][]queueing.Key{},
		deleted: map[types.UID]bool{}, queues: map[string]string{}, parents: map[string]string{},
	}
}

// track records that an asker requests or holds quota of a queue.
func (t *tracker) track(key queueing.Key, queue string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[key.UID]
	if e == nil {
		e = &entry{key: key, unseen: map[string]bool{}}
		t.entries[key.UID] = e
		t.named[key.Named()] = append(t.named[key.Named()], key)
	}
	e.queue = queue
}

func (t *tracker) forget(key queueing.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[key.UID]
	if e == nil {
		return
	}
	delete(t.entries, key.UID)
	others := slices.DeleteFunc(t.named[e.key.Named()], func(k queueing.Key) bool { return k == e.key })
	if t.named[e.key.Named()] = others; len(others) == 0 {
		delete(t.named, e.key.Named())
	}
}

// expectCreated records that a group was created.
func (t *tracker) expectCreated(key queueing.Key, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[key.UID]; e != nil {
		e.unseen[name] = true
	}
}

func (t *tracker) isExpected(key queueing.Key, name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[key.UID]
	return e != nil && e.unseen[name]
}

// expected returns the names of groups that were created for an asker and not shown yet.
func (t *tracker) expected(key queueing.Key) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[key.UID]; e != nil {
		return slices.Sorted(maps.Keys(e.unseen))
	}
	return nil
}

// observed records that the watch has shown a group of an asker.
func (t *tracker) observed(uid, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[uid]; e != nil {
		delete(e.unseen, name)
	}
}

// expectDeleted records that a group is about to be deleted, so that whatever the watch still shows of it is outdated.
func (t *tracker) expectDeleted(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deleted[uid] = true
}

func (t *tracker) isDeleted(uid types.UID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deleted[uid]
}

// observedDelete records that the watch has caught up with the deletion of a group.
func (t *tracker) observedDelete(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.deleted, uid)
}

// moved records the parent of a queue, or that the queue no longer has one, and returns the previous parent.
func (t *tracker) moved(queue, parent string) (before string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = t.parents[queue]
	if t.parents[queue] = parent; parent == "" {
		delete(t.parents, queue)
	}
	return before
}

// queueChanged wakes the askers of a queue if anything has changed that verdicts depend on. Other parts, such as its
// counters, change all the time.
func (t *tracker) queueChanged(queue, now string) {
	t.mu.Lock()
	changed := t.queues[queue] != now
	if t.queues[queue] = now; now == "" {
		delete(t.queues, queue)
	}
	t.mu.Unlock()
	if changed {
		t.wakeAll(func(e *entry) bool { return e.queue == queue })
	}
}

// kindAvailabilityChanged wakes all askers because the kinds were installed or removed. The watches no longer show
// anything from before.
func (t *tracker) kindAvailabilityChanged() {
	t.mu.Lock()
	clear(t.deleted)
	for _, e := range t.entries {
		clear(e.unseen)
	}
	t.mu.Unlock()
	t.wakeAll(func(*entry) bool { return true })
}

func (t *tracker) wakeAll(matches func(*entry) bool) {
	t.mu.Lock()
	var keys []queueing.Key
	for _, e := range t.entries {
		if matches(e) {
			keys = append(keys, e.key)
		}
	}
	t.mu.Unlock()
	for _, key := range keys {
		t.waker.Wake(key)
	}
}

// keysOf returns the keys with this name that request or hold quota.
func (t *tracker) keysOf(named queueing.Key) []queueing.Key {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.named[named])
}
