// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"syscall"
	"testing"
)

// TestReplicaStandsStill stops a replica in the middle of its work (SIGSTOP) until others lead its trees, and wakes it. What it then
// still means to write is refused: it believes for a moment that it leads, and nothing is granted twice, and nothing runs again.
func TestReplicaStandsStill(t *testing.T) {
	trees, names := newTrees(t, 3)
	r := newReplicas(t, 2)
	r.settled(names)
	of := r.leads()
	still := r.by(of[names[0]])
	if err := still.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	epochs, started := map[*tree]int64{}, map[*tree]int{}
	var moved []*tree
	for _, w := range trees {
		if r.by(of[w.Queue.Name]) == still {
			moved = append(moved, w)
			epochs[w], started[w] = w.epoch(), w.starts()
		}
	}
	turnUntil(t, trees, "the trees have another leader, which grants", func() bool {
		for _, w := range moved {
			if w.epoch() <= epochs[w] || w.starts() <= started[w] {
				return false
			}
		}
		return true
	})
	for _, w := range moved {
		epochs[w], started[w] = w.epoch(), w.starts()
	}
	if err := still.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	turnUntil(t, trees, "the trees go on after it wakes", func() bool {
		for _, w := range moved {
			if w.starts() <= started[w]+fits {
				return false
			}
		}
		return true
	})
	select {
	case <-still.Ended():
		t.Error("the replica has ended; the trees that it does not lead any more are no reason to")
	default:
	}
	r.settled(names) // it gets its share again
	for _, w := range trees {
		w.drain()
	}
}
