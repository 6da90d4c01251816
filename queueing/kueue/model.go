// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/internal/namespaces"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Options of a Gate. All fields are required unless said otherwise.
type Options struct {
	// Client reads and writes Kueue's kinds, without a cache.
	Client client.WithWatch
	// Waker wakes every application whose verdict may have changed.
	Waker queueing.Waker
	// Namespaces whose applications use the gate.
	Namespaces namespaces.Set
	// FieldOwner of what the gate writes.
	FieldOwner string
	// Interval between questions for Kueue's kinds while they are not installed. Default: optionalkind.DefaultInterval.
	Interval time.Duration
	Clock    clock.Clock
	Log      logr.Logger
}

// Gate asks Kueue. Create it with New and start its Watches; it is safe for concurrent use.
type Gate struct {
	o Options
	mirror
	tracker
	writer
}

// mirror is what the watches show of Kueue's kinds.
type mirror struct {
	workloads, localQueues, clusterQueues, flavors, priorities *optionalkind.Watch
}

// tracker remembers what the gate has done and the watches have not shown yet, and who is to be woken.
type tracker struct {
	clock clock.Clock

	mu sync.Mutex
	// asking are the applications that asked and were not granted yet, and since when, to be woken when Kueue's kinds come
	// or go.
	asking map[types.NamespacedName]asker
	// created are names of Workloads that were created and not seen yet.
	created map[queueing.Key]string
	// chunks are those that were created and not seen yet, by name.
	chunks map[queueing.Key]map[string]unseenChunk
	// shown are the executors with quota by chunk that the holder of a grant was shown last.
	shown map[queueing.Key]map[types.UID]int32
	// written are the versions of own last writes, by uid: what the watch shows may be older.
	written map[types.UID]string
	// asks are the generations in which Workloads ask for what they were changed to last, by uid.
	asks map[types.UID]int64
	// released are the keys that were released a moment ago.
	released map[queueing.Key]bool
	// lastQueueStates are the states of queues that applications were woken for last.
	lastQueueStates map[string]string
}

// asker is the application of a name that asks, by its uid, and since when it has.
type asker struct {
	uid   string
	since time.Time
}

func nameOf(key queueing.Key) types.NamespacedName {
	return types.NamespacedName{Namespace: key.Namespace, Name: key.Name}
}

func isChunk(w *kueuev1.Workload) bool { return w.Annotations[chunkAnnotation] != "" }
