// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import "sync"

// atATime is the number of Spark applications that run at a time: three, with two executors each, keep two cores busy.
const atATime = 3

var (
	semaphore = make(chan struct{}, atATime)
	// taking prevents two tests from each holding a part of what both need.
	taking sync.Mutex
)

// acquire waits until n more applications may run, and returns a function to release them.
func acquire(n int) (release func()) {
	n = min(n, atATime)
	taking.Lock()
	defer taking.Unlock()
	for range n {
		semaphore <- struct{}{}
	}
	return func() {
		for range n {
			<-semaphore
		}
	}
}
