// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package share determines what one of several leaders decides on if each tree of queues has its own leader. The leader
// of a tree serves the queues with the tree's name in status.tree, and decides on what is in these queues. One more
// leader decides on the rest: queues that are in no tree, other gates, and what belongs to no queue.
//
// A queue has one leader at a time, because status.tree is changed by compare-and-swap. When a queue moves to another
// tree, its leader serves it until nothing is in flight, and then releases it. The other leader claims it, and charges
// what the applications in it hold before it grants anything there.
package share
