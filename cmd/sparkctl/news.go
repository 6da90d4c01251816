// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/status"
)

const (
	notObserved     = "waiting for the operator to look at it"
	notObservedLong = "no operator has looked at it for %s: is one running, and does it watch this namespace? sparkctl version names it\n"
)

// news writes lines, and skips a line that equals the one before. Only the timer runs concurrently with its methods.
type news struct {
	mu   sync.Mutex
	out  io.Writer
	last string
	// hint is a timer that writes after hintAfter that no operator looks at the object; nil while it has been observed.
	hint      clock.Timer
	hintAfter time.Duration
}

func newNews(out io.Writer) *news { return &news{out: out, hintAfter: status.ObservedWithin} }

// say writes a line, and stops the timer.
func (n *news) say(text string) {
	n.end()
	n.mu.Lock()
	defer n.mu.Unlock()
	if text != n.last {
		n.last = text
		fmt.Fprintln(n.out, text)
	}
}

// unobserved writes that the operator has not looked at the object yet, and starts the timer, which writes a hint if
// that takes long.
func (n *news) unobserved() {
	if n.hint != nil {
		return
	}
	n.say(notObserved)
	n.hint = clock.RealClock{}.AfterFunc(n.hintAfter, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		fmt.Fprintf(n.out, notObservedLong, n.hintAfter)
	})
}

// end stops the timer.
func (n *news) end() {
	if n.hint != nil {
		n.hint.Stop()
		n.hint = nil
	}
}
