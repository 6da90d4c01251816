// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// heartbeat is how often a running step prints how far it is.
const heartbeat = 5 * time.Second

// Progress writes one line for each step's start, end and heartbeat, with the
// seconds since the first. It is safe for concurrent use.
type Progress struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	start time.Time
}

// NewProgress returns a Progress whose clock starts now.
func NewProgress(out io.Writer, now func() time.Time) *Progress {
	return &Progress{out: out, now: now, start: now()}
}

// Say writes a line.
func (p *Progress) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "[%4.0f s] %s\n", p.now().Sub(p.start).Seconds(), fmt.Sprintf(format, args...))
}

// Step says that a step begins and returns what is to be called at its end.
// Until then it says every few seconds how far the step is; measure may be nil.
func (p *Progress) Step(name, what string, measure func() string) (done func(error)) {
	p.Say("%s: %s", name, what)
	begin := p.now()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		p.beat(stop, name, measure)
	}()
	return func(err error) {
		close(stop)
		<-stopped
		if err == nil {
			p.Say("%s: done in %.0f s", name, p.now().Sub(begin).Seconds())
		}
	}
}

func (p *Progress) beat(stop <-chan struct{}, name string, measure func() string) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			state := "still at it"
			if measure != nil {
				state = measure()
			}
			p.Say("%s: … %s", name, state)
		}
	}
}
