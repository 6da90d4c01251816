// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
)

// placement says which gate and queue a start asks, and what administrators allow it there.
type placement struct {
	*state
	// policy of the namespace, as of the plan of the pass.
	policy namespacepolicy.Policy
	// placed are the gate and the queue of the plan. They are chosen for each start anew, so nothing that was let in is touched when what names
	// them changes.
	placed namespacepolicy.Placement
	// target is the gate that the plan of the pass asks.
	target targetGate
}

// targetGate is the gate that a start asks, whether the namespace is guarded, and all settings of the namespace.
type targetGate struct {
	name     string
	guarded  bool
	settings string
}
