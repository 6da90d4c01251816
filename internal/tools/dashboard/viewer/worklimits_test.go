// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"k8s.io/utils/clock"
)

// TestListsInTurn: no more lists are read at once than there are turns; a turn comes back with the end of a list, with its failure, and
// when it takes too long; a viewer who leaves needs none.
func TestListsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, begun := NewWorkLimits(), atomic.Int64{}
		reads := func(ctx context.Context) *limitedListener {
			l := newLimitedListener(ctx, newTable(NewRowCache()), turns.lists, clock.RealClock{})
			go func() {
				l.Begin()
				begun.Add(1)
			}()
			synctest.Wait()
			return l
		}
		var lists []*limitedListener
		for range maxLists + 3 {
			lists = append(lists, reads(t.Context()))
		}
		leaves, leave := context.WithCancel(t.Context())
		reads(leaves)
		for _, step := range []struct {
			what string
			do   func()
			want int64
		}{
			{"nothing has ended", func() {}, maxLists},
			{"a list is complete", lists[0].Complete, maxLists + 1},
			{"and gives back no more than its turn", lists[0].done, maxLists + 1},
			{"a list has failed", func() { lists[1].Lost(errors.New("gone")) }, maxLists + 2},
			{"a viewer leaves", leave, maxLists + 3},
			{"a list takes too long", func() { <-clock.RealClock{}.After(listWithin) }, maxLists + 4},
		} {
			step.do()
			synctest.Wait()
			if got := begun.Load(); got != step.want {
				t.Errorf("%s: %d have begun, want %d", step.what, got, step.want)
			}
		}
	})
}
