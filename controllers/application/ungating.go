// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pendingUngate is a patch that removes a scheduling gate and was not answered: it may take effect until then.
type pendingUngate struct {
	flavor string
	until  time.Time
}

// markUngating records that the scheduling gate of a pod is being removed, for a flavor. Until the outcome is known the pod counts as admitted.
func (m *Memory) markUngating(app client.Object, pod types.UID, flavor string, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(app)
	if r.ungating == nil {
		r.ungating = map[types.UID]pendingUngate{}
	}
	r.ungating[pod] = pendingUngate{flavor: flavor, until: until}
}

// ungateAnswered forgets that patch: the store of pods knows its outcome.
func (m *Memory) ungateAnswered(app client.Object, pod types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of(app).ungating, pod)
}

// ungatesInFlight returns the flavors of the pods whose scheduling gates may have been removed without an answer, by uid; nil if there are none.
func (m *Memory) ungatesInFlight(app client.Object, now time.Time) map[types.UID]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out map[types.UID]string
	for pod, l := range m.of(app).ungating {
		if !now.Before(l.until) {
			delete(m.of(app).ungating, pod)
			continue
		}
		if out == nil {
			out = map[types.UID]string{}
		}
		out[pod] = l.flavor
	}
	return out
}
