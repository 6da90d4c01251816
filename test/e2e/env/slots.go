// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import "sync"

// atATime is how many Spark applications run at a time: three, with two executors each, keep two cores busy.
const atATime = 3

var (
	slots = make(chan struct{}, atATime)
	// taking keeps two tests from each holding a part of what both need.
	taking sync.Mutex
)

// takeSlots waits until n more applications may run, and returns how to give the room back.
func takeSlots(n int) (give func()) {
	n = min(n, atATime)
	taking.Lock()
	defer taking.Unlock()
	for range n {
		slots <- struct{}{}
	}
	return func() {
		for range n {
			<-slots
		}
	}
}
