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

// book is what a gate remembers: who is to be woken, and what it has written that its watches have not shown yet. Nothing of it has to
// outlive the process. Safe for concurrent use.
type book struct {
	wake func(types.NamespacedName)
	mu   sync.Mutex
	// entries are the applications that ask or hold, by uid; named are their uids by name.
	entries map[string]*entry
	named   map[types.NamespacedName]map[string]bool
	// deleted are groups that this process deletes and its watch still shows.
	deleted map[types.UID]bool
	// queues is what was last seen of each queue that verdicts depend on.
	queues map[string]string
}

type entry struct {
	name  types.NamespacedName
	queue string
	// unseen are names of groups that were made and that the watch has not shown.
	unseen map[string]bool
	// looking says that the application will be woken after a while.
	looking bool
}

func newBook(wake func(types.NamespacedName)) *book {
	return &book{
		wake: wake, entries: map[string]*entry{}, named: map[types.NamespacedName]map[string]bool{},
		deleted: map[types.UID]bool{}, queues: map[string]string{},
	}
}

// asks notes that an application asks a queue, or holds something of it.
func (b *book) asks(key queueing.Key, queue string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[key.UID]
	if e == nil {
		e = &entry{name: types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, unseen: map[string]bool{}}
		b.entries[key.UID] = e
		if b.named[e.name] == nil {
			b.named[e.name] = map[string]bool{}
		}
		b.named[e.name][key.UID] = true
	}
	e.queue = queue
}

func (b *book) forget(key queueing.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[key.UID]
	if e == nil {
		return
	}
	delete(b.entries, key.UID)
	if delete(b.named[e.name], key.UID); len(b.named[e.name]) == 0 {
		delete(b.named, e.name)
	}
}

// made notes that a group was made.
func (b *book) made(key queueing.Key, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key.UID]; e != nil {
		e.unseen[name] = true
	}
}

func (b *book) isMade(key queueing.Key, name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[key.UID]
	return e != nil && e.unseen[name]
}

// unseen are the names of groups that were made for an application and not shown yet.
func (b *book) unseen(key queueing.Key) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key.UID]; e != nil {
		return slices.Sorted(maps.Keys(e.unseen))
	}
	return nil
}

// seen notes that the watch has shown a group of an application.
func (b *book) seen(uid, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[uid]; e != nil {
		delete(e.unseen, name)
	}
}

// deletes notes that a group is about to be deleted: what the watch goes on to show of it is old.
func (b *book) deletes(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deleted[uid] = true
}

func (b *book) isDeleted(uid types.UID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deleted[uid]
}

// settled notes that the watch shows what has become of a group.
func (b *book) settled(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.deleted, uid)
}

// looks says whether the application is to be woken after a while, which has to be arranged once only.
func (b *book) looks(key queueing.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[key.UID]
	if e == nil || e.looking {
		return false
	}
	e.looking = true
	return true
}

// looked wakes an application that was to be woken after a while.
func (b *book) looked(key queueing.Key) {
	b.mu.Lock()
	e := b.entries[key.UID]
	if e != nil {
		e.looking = false
	}
	b.mu.Unlock()
	if e != nil {
		b.wake(e.name)
	}
}

// queueChanged wakes those who deal with a queue, if anything of it has changed that verdicts depend on. Its counters change all the time.
func (b *book) queueChanged(queue, now string) {
	b.mu.Lock()
	changed := b.queues[queue] != now
	if b.queues[queue] = now; now == "" {
		delete(b.queues, queue)
	}
	b.mu.Unlock()
	if changed {
		b.wakeAll(func(e *entry) bool { return e.queue == queue })
	}
}

// turned wakes everybody: the kinds have come or gone, and no watch shows anything of before.
func (b *book) turned() {
	b.mu.Lock()
	clear(b.deleted)
	for _, e := range b.entries {
		clear(e.unseen)
	}
	b.mu.Unlock()
	b.wakeAll(func(*entry) bool { return true })
}

func (b *book) wakeAll(whom func(*entry) bool) {
	b.mu.Lock()
	var names []types.NamespacedName
	for _, e := range b.entries {
		if whom(e) {
			names = append(names, e.name)
		}
	}
	b.mu.Unlock()
	for _, name := range names {
		b.wake(name)
	}
}

// uidsOf returns the uids of those of that name who ask or hold.
func (b *book) uidsOf(name types.NamespacedName) map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.named[name])
}
