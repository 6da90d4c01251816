// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import "time"

// Waker has those that ask look at their verdicts again. It is the one way from a gate to an asker. Neither method
// blocks.
type Waker interface {
	// Wake says that the verdict on what asks, or what is held for it, may have changed. Gates that forget uids
	// leave them out.
	Wake(Key)
	// WakeAfter asks for another look after a while: at something that no watch shows. Of several times the earliest
	// counts.
	WakeAfter(Key, time.Duration)
}
