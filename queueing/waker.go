// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import "time"

// Waker makes askers look at their verdicts again. It is the only way from a gate to an asker. Neither method blocks.
type Waker interface {
	// Wake reports that the verdict on an ask, or on what its asker holds, may have changed. The key has no uid if the
	// gate does not remember it.
	Wake(Key)
	// WakeAfter calls Wake after a pause, because of something that no watch reports. Of several pending calls the
	// earliest counts.
	WakeAfter(Key, time.Duration)
}
