// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lifted is a gate whose lifting was not answered: it may take effect until then.
type lifted struct {
	flavor string
	until  time.Time
}

// release remembers that the gate of a pod is being lifted, in a flavor. Until it is known what came of it the pod counts as let in.
func (m *Memory) release(app client.Object, pod types.UID, flavor string, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(app)
	if r.lifting == nil {
		r.lifting = map[types.UID]lifted{}
	}
	r.lifting[pod] = lifted{flavor: flavor, until: until}
}

// released forgets that: the store of pods knows what came of it.
func (m *Memory) released(app client.Object, pod types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of(app).lifting, pod)
}

// releasing are the pods whose gates may have been lifted without an answer, by flavor; nil if there are none.
func (m *Memory) releasing(app client.Object, now time.Time) map[types.UID]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out map[types.UID]string
	for pod, l := range m.of(app).lifting {
		if !now.Before(l.until) {
			delete(m.of(app).lifting, pod)
			continue
		}
		if out == nil {
			out = map[types.UID]string{}
		}
		out[pod] = l.flavor
	}
	return out
}
