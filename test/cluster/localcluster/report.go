// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressInterval is the longest silence during a long step.
const progressInterval = 10 * time.Second

// reporter prints one line for each step, with the seconds since the command
// began. It may be used by several goroutines.
type reporter struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
}

func newReporter(out io.Writer, start time.Time) *reporter {
	return &reporter{out: out, start: start}
}

func (r *reporter) step(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "[%6.1fs] %s\n", time.Since(r.start).Seconds(), fmt.Sprintf(format, args...))
}

// during runs the work and reports the line again and again until it is done.
func (r *reporter) during(line func() string, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			r.step("%s", line())
		}
	}
}
