// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package share says what one of several leaders decides on, where each tree of queues has a leader of its own. The
// leader of a tree serves the queues that bear its name in status.tree, and decides on what is in these queues. One more
// leader decides on the rest: queues that are in no tree, other gates, and what is of no queue.
//
// A queue has one leader at a time, because status.tree is compared and swapped. A queue that moves to another tree is
// served to the end of what is in flight, and released; then the other leader claims it, and charges what the
// applications in it hold before it grants anything there.
package share
