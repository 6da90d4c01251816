// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// claim is quota that is reclaimed for one ask. What the targets hold is granted to no other ask: until they have
// released it, the need of the ask counts as used, too.
type claim struct {
	app  *app
	ask  *ask
	tree *tree
	// where the pods will be.
	where placement
	// targets that have been asked to go.
	targets []queueing.Key
}

// reservation reserves quota for the head of a queue that has been blocked for longer than the queue's HeadTimeout;
// otherwise a stream of small asks could pass a large one forever. From then on other asks are admitted only if
//   - they come before it: in its own queue by the order there, in other queues by a higher priority;
//   - or they do not delay it: see reservations.delays;
//   - or they release their grant before its expected start (back-filling). The expected start is known if enough
//     holders at the beginning of the reservation have a known release time (queueing.Standing.Until).
//
// A head whose need is within the quota of its queue (guaranteed) therefore starts at the latest when everything that
// is held at the beginning of the reservation has been released, except for asks that come before it.
type reservation struct {
	app        *app
	ask        *ask
	queue      *queue
	need       quota.Vector
	guaranteed bool
}

// growth is what the holder of a gated grant has and wants above its base gang.
type growth struct {
	want queueing.Want
	// before is the grant before it grew, until the growth is settled; else nil. A grant does not grow again before
	// that.
	before *queueing.Grant
	// reclaims are pods above the base gang that must be released, in the order of their claims.
	reclaims []reclaim
	// blocked is the limit that was in the way of the last pod that was wanted.
	blocked quota.Block
	// message is why the holder does not have all that it wants; empty if it does.
	message string
}

// reclaim is a number of pods above the base gang that must be released in one flavor, for one ask.
type reclaim struct {
	by       queueing.Key
	flavor   string
	count    int32
	eviction queueing.Eviction
}

// blockReason is why a class is pending: the content of a verdict before it is worded. Equal reasons give equal
// messages.
type blockReason struct {
	// reason is one of the reasons of package queueing.
	reason string
	// queue is the queue that is held or full.
	queue *queue
	// limit is the limit in the way, for WaitingForQuota.
	limit quota.Block
	// notHead: not the head of a StrictFIFO queue.
	notHead bool
	// reserved: enough quota is free, but it is reserved for asks that have waited longer.
	reserved bool
}
