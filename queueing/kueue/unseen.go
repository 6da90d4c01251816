// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// unseen remembers Workloads that the watch does not show although they may exist: they were just created, or a user
// has removed the label by which they are watched. Nothing else would release their quota.
type unseen struct {
	view  *view
	clock clock.PassiveClock

	mu        sync.Mutex
	workloads map[queueing.Key]map[string]unseenWorkload // by asker and name
}

type unseenWorkload struct {
	// pods is the number of pods that a chunk asks for; 0 for other Workloads.
	pods int32
	at   time.Time
	// uid is empty until the call that creates the Workload has returned, and if it has lost its label.
	uid types.UID
}

// add records a Workload that is about to be created, because the answer may be lost, or has been. The watch may show it
// already, or may still be about to report the deletion of an earlier one with the same name.
func (u *unseen) add(key queueing.Key, w *kueuev1.Workload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.view.shows(w) {
		u.drop(key, w.Name)
		return
	}
	u.put(key, w.Name, unseenWorkload{pods: requestedCount(w), at: u.clock.Now(), uid: w.UID})
}

// remove drops the record of a Workload that was not created after all.
func (u *unseen) remove(key queueing.Key, w *kueuev1.Workload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(key, w.Name)
}

// changed records that the watch has reported a Workload: that it shows it, or does not show it any longer.
func (u *unseen) changed(key queueing.Key, w *kueuev1.Workload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if x := u.workloads[key][w.Name]; x.uid != "" && x.uid != w.UID {
		return // another one was created with its name
	}
	u.drop(key, w.Name)
	if !u.view.shows(w) && w.DeletionTimestamp.IsZero() && !finished(w) {
		u.put(key, w.Name, unseenWorkload{}) // it was not deleted, and has lost its label
	}
}

// forget drops all records of a key.
func (u *unseen) forget(key queueing.Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.workloads, key)
}

// names returns the names of the Workloads of a key.
func (u *unseen) names(key queueing.Key) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Collect(maps.Keys(u.workloads[key]))
}

// keys returns the keys of this name.
func (u *unseen) keys(named queueing.Key) []queueing.Key {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Keys(u.workloads)), func(key queueing.Key) bool { return key.Named() != named })
}

// chunks returns how many pods the chunks of a key ask for, and the highest number of any of them. A chunk that is not
// shown within retryAfter counts as not created or as deleted again; if it appears after all, it is counted then.
func (u *unseen) chunks(key queueing.Key) (pods int32, last int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, x := range u.workloads[key] {
		switch {
		case x.pods == 0: // not a chunk
		case u.clock.Since(x.at) >= retryAfter:
			u.drop(key, name)
		default:
			pods, last = pods+x.pods, max(last, numberOf(name))
		}
	}
	return pods, last
}

func (u *unseen) put(key queueing.Key, name string, x unseenWorkload) {
	if u.workloads[key] == nil {
		u.workloads[key] = map[string]unseenWorkload{}
	}
	u.workloads[key][name] = x
}

func (u *unseen) drop(key queueing.Key, name string) {
	if delete(u.workloads[key], name); len(u.workloads[key]) == 0 {
		delete(u.workloads, key)
	}
}
