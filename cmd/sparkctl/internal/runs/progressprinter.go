// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/job/status"
)

const (
	notObserved     = "waiting for the operator to look at it"
	notObservedLong = "no operator has looked at it for %s: is one running, and does it watch this namespace? sparkctl version names it\n"
)

// ProgressPrinter writes lines, and skips a line that equals the one before. Only the timer runs concurrently with its
// methods.
type ProgressPrinter struct {
	mu   sync.Mutex
	out  io.Writer
	last string
	// hint is a timer that writes after hintAfter that no operator looks at the object; nil while it has been observed.
	hint      clock.Timer
	hintAfter time.Duration
}

// NewProgressPrinter returns a printer that writes to out.
func NewProgressPrinter(out io.Writer) *ProgressPrinter {
	return &ProgressPrinter{out: out, hintAfter: status.ObservedWithin}
}

// Print writes a line, and stops the timer.
func (p *ProgressPrinter) Print(text string) {
	p.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if text != p.last {
		p.last = text
		fmt.Fprintln(p.out, text)
	}
}

// PrintUnobserved writes that the operator has not looked at the object yet, and starts the timer, which writes a hint if
// that takes long.
func (p *ProgressPrinter) PrintUnobserved() {
	if p.hint != nil {
		return
	}
	p.Print(notObserved)
	p.hint = clock.RealClock{}.AfterFunc(p.hintAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		fmt.Fprintf(p.out, notObservedLong, p.hintAfter)
	})
}

// Stop stops the timer.
func (p *ProgressPrinter) Stop() {
	if p.hint != nil {
		p.hint.Stop()
		p.hint = nil
	}
}
