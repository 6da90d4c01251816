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
func (m *Expectations) markUngating(app client.Object, pod types.UID, flavor string, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(app)
	if r.ungating == nil {
		r.ungating = map[types.UID]pendingUngate{}
	}
	r.ungating[pod] = pendingUngate{flavor: flavor, until: until}
}

// ungateAnswered forgets that patch: the store of pods knows its outcome.
func (m *Expectations) ungateAnswered(app client.Object, pod types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.stateOf(app).ungating, pod)
}

// ungatesInFlight returns the flavors of the pods whose scheduling gates may have been removed without an answer, by uid; nil if there are none.
func (m *Expectations) ungatesInFlight(app client.Object, now time.Time) map[types.UID]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out map[types.UID]string
	for pod, l := range m.stateOf(app).ungating {
		if !now.Before(l.until) {
			delete(m.stateOf(app).ungating, pod)
			continue
		}
		if out == nil {
			out = map[types.UID]string{}
		}
		out[pod] = l.flavor
	}
	return out
}
