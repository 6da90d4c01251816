// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"sync"
)

// Counts are the counts of a root queue, to be written into its status together with its ledger.
type Counts struct {
	// Fields are the fields of the status, as a merge patch. If it is empty there is nothing to write.
	Fields map[string]any
	// Written is called after the fields were written.
	Written func()
}

// counts knows which root queues have counts to write.
type counts struct {
	// of returns the counts of a root queue.
	of        func(ctx context.Context, root string) Counts
	requested signal

	mu     sync.Mutex
	queues map[string]bool
}

// request requests that the counts of a root queue are written.
func (c *counts) request(root string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queues[root] = true
	c.requested.request()
}

// take returns a queue whose counts must be written, and requests another call if there are more. root is empty if there
// is none.
func (c *counts) take(ctx context.Context) (root string, counts Counts) {
	for {
		if root = c.next(); root == "" {
			return "", Counts{}
		}
		if counts = c.of(ctx, root); len(counts.Fields) > 0 { // otherwise they were written with a grant in the meantime
			return root, counts
		}
	}
}

func (c *counts) next() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for root := range c.queues {
		if delete(c.queues, root); len(c.queues) > 0 {
			c.requested.request()
		}
		return root
	}
	return ""
}
