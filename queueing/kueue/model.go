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

	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Options configure a Gate. All fields are required unless a default is given.
type Options struct {
	// Client reads and writes Kueue's kinds, without a cache.
	Client client.WithWatch
	// Waker wakes every asker whose verdict may have changed.
	Waker queueing.Waker
	// Namespaces are those whose askers use the gate.
	Namespaces []string
	// FieldOwner is the field owner of the gate's writes.
	FieldOwner string
	// Interval is the pause before kinds that cannot be read are looked for again; six times that if they are not
	// served. Default: optionalkind.DefaultInterval.
	Interval time.Duration
	Clock    clock.Clock
	Log      logr.Logger
}

// Gate is the gate Kueue. Create it with New and start its Watches. It is safe for concurrent use.
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

// tracker remembers what the gate has done that the watches do not show yet, and which askers to wake.
type tracker struct {
	clock clock.Clock

	mu sync.Mutex
	// asking are the askers that have asked and were not granted yet, by key without uid. They are woken when Kueue's
	// kinds are installed or removed.
	asking map[queueing.Key]asker
	// created holds the names of Workloads that were created and that the watch has not shown yet.
	created map[queueing.Key]string
	// chunks holds the chunks that were created and that the watch has not shown yet, by name.
	chunks map[queueing.Key]map[string]unseenChunk
	// shown holds, for each holder of a grant, the number of pods with quota per chunk that it was last shown.
	shown map[queueing.Key]map[types.UID]int32
	// written holds what the watch must show after the last own writes, by uid.
	written map[types.UID]expectations.Version
	// asks holds the generations of Workloads after they were last changed to match an ask, by uid.
	asks map[types.UID]int64
	// released holds the keys that were released within releasedTTL.
	released map[queueing.Key]bool
	// lost holds the names of Workloads that the watch no longer shows although they were not deleted: a user has
	// removed the label by which they are watched.
	lost map[queueing.Key][]string
	// lastQueueStates holds the states of queues for which askers were last woken.
	lastQueueStates map[string]string
}

// asker is the uid of an asker that asks, and since when it does.
type asker struct {
	uid   string
	since time.Time
}

func isChunk(w *kueuev1.Workload) bool { return w.Annotations[chunkAnnotation] != "" }
