// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import "time"

// Waker has askers look at their verdicts again. It is the only way from a gate to an asker. Neither method blocks.
type Waker interface {
	// Wake says that the verdict on an ask, or on what its asker holds, may have changed. The key has no uid if the gate
	// does not remember it.
	Wake(Key)
	// WakeAfter does so after a pause, because of something that no watch reports. The earliest of several times counts.
	WakeAfter(Key, time.Duration)
}
