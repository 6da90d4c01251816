// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/sparkgate/sparkgate/controllers/internal/share"
)

// TestDeciding: a leader counts once it has restored its state, not from when it acquires its lease. A leader that has
// ended leaves no series.
func TestDeciding(t *testing.T) {
	t.Parallel()
	p, c := &Process{}, &decidingCollector{desc: deciding.desc}
	c.of.Set("", p)
	expect := func(want ...string) {
		t.Helper()
		text := ""
		if len(want) > 0 {
			text = "# HELP sparkgate_deciding 1 while this process decides on the applications of a tree of queues, of all where it names none; else 0.\n" +
				"# TYPE sparkgate_deciding gauge\n" + strings.Join(want, "\n") + "\n"
		}
		if err := testutil.CollectAndCompare(c, strings.NewReader(text)); err != nil {
			t.Error(err)
		}
	}
	leads := func(tree string) *leader {
		l := &leader{Process: p, share: &share.Share{Tree: tree}, startup: &leaderStartup{done: make(chan struct{})}}
		p.add(l)
		return l
	}
	expect()
	first, _ := leads("a"), leads("")
	expect(`sparkgate_deciding{tree=""} 0`, `sparkgate_deciding{tree="a"} 0`)
	close(first.startup.done)
	expect(`sparkgate_deciding{tree=""} 0`, `sparkgate_deciding{tree="a"} 1`)
	leads("a")
	expect(`sparkgate_deciding{tree=""} 0`, `sparkgate_deciding{tree="a"} 1`)
	p.remove(first)
	expect(`sparkgate_deciding{tree=""} 0`, `sparkgate_deciding{tree="a"} 0`)
}
