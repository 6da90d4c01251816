// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"strings"
	"testing"
	"time"
)

// lines sends what is written.
type lines chan string

func (l lines) Write(text []byte) (int, error) {
	l <- string(text)
	return len(text), nil
}

// TestNoOperatorLooks: the command says so at once, and after a while prints a hint what to check, unless an operator
// has looked by then.
func TestNoOperatorLooks(t *testing.T) {
	t.Parallel()
	out := make(lines, 10)
	n := NewProgressPrinter(out)
	n.hintAfter = time.Millisecond
	n.PrintUnobserved()
	n.PrintUnobserved()
	if first, second := <-out, <-out; first != notObserved+"\n" || !strings.HasPrefix(second, "no operator has looked at it for 1ms: is one running, and does it watch this namespace?") {
		t.Errorf("%q, %q", first, second)
	}
	n.hintAfter = time.Hour
	n.Print("Queued")
	n.PrintUnobserved()
	n.Print("Running")
	n.Print("Running")
	n.Stop()
	close(out)
	var said []string
	for line := range out {
		said = append(said, line)
	}
	if got := strings.Join(said, ""); got != "Queued\n"+notObserved+"\nRunning\n" || n.hint != nil {
		t.Errorf("said %q", got)
	}
}
