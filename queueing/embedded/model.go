// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// tree holds all queues below one root, which are decided on together. Queues that do not exist are in the tree of
// the empty name.
type tree struct {
	root string
	// queues of the tree, and those of them with pending asks, sorted by name.
	queues, pendingQueues []*queue
	// entering are the queues that entered the last tournament, mayPreempt the classes that were looked at for preemption.
	entering   []*queue
	mayPreempt []*equivalenceClass
	// fairSharing: a queue of the tree uses it.
	fairSharing bool
	// dirty: something has happened since the last complete pass.
	dirty bool
	// reservations of the current or last cycle, in the order of their asks, and the versions as of which it was last
	// noted that asks may be delayed or admitted because of them.
	reservations   []*reservation
	reservationsAt versions
	// reservedFrom are the classes that did not fit because of them.
	reservedFrom []*equivalenceClass
	// quotaVersion grows when an ask that did not fit may fit now, targetVersion when one that had no targets may have
	// some now, holderVersion when anything about the holders has changed.
	quotaVersion, targetVersion, holderVersion uint64
	// interrupted: the last cycle was cut short by its maximum of grants. firstOfCycle is the serial of the first grant
	// of the current cycle, including the parts of it that were cut short.
	interrupted  bool
	firstOfCycle uint64
	// unknownStates counts the holders of the tree whose standing is not known.
	unknownStates int
}

// versions are those of a tree on which it depends what may be preempted.
type versions struct{ holderVersion, firstOfCycle uint64 }

// attempt are the versions of a tree as of which no ask could be admitted or preempt.
type attempt struct{ quotaVersion, targetVersion uint64 }

// queue is a name that is configured, asked for, or charged.
type queue struct {
	name string
	tree *tree
	// parent is the queue that this one weighs on, ancestors the names of that one and of those above it, as configured.
	parent    *queue
	ancestors []string
	// config is nil for a queue that does not exist.
	config *QueueConfig
	// node is quota.None for a queue that is in no tree.
	node quota.NodeID
	// stoppedBy is this queue or the nearest one above it that is stopped, drainedBy the nearest that is drained.
	stoppedBy, drainedBy *queue
	// flavors in which the queue may place pods, and the queue, this one or one above it, that names them; nil for DefaultFlavor
	// that none names.
	flavors   []string
	flavorsOf *queue
	// limited: the queue, or another of its tree, has a quota. noQuota: none has one, and the root is not unlimited.
	limited, noQuota bool

	// classByKey and classes hold the pending asks by equivalence class, in no particular order; admissible holds the
	// classes that are not inadmissible, the one with the first ask at place 0.
	classByKey map[string]*equivalenceClass
	classes    []*equivalenceClass
	admissible heap[*equivalenceClass]
	// obstacles are the limits that block its classes, as of that quotaVersion of the tree.
	obstacles   []*obstacle
	obstaclesAt uint64
	// preemptors are the classes that are tried for preemption; nil if that has to be found out again.
	preemptors []*equivalenceClass
	// settledAt are the versions as of which the queue entered a tournament last; zero since an ask has come or gone.
	settledAt attempt
	// blockReason is why no ask of the queue is admitted, as of the last verdicts; staleClasses are the classes whose
	// verdicts may need another update.
	blockReason  blockReason
	staleClasses []*equivalenceClass
	// blockedHead is the head as of the last cycle if it did not fit; strictHead is the same for a StrictFIFO queue.
	blockedHead, strictHead *app
	// enteredHead is the class with the head of a StrictFIFO queue that has entered a tournament last.
	enteredHead *equivalenceClass
	// line holds the classes that have asks without claims, in the order of the first of these, except for those that have
	// moved since. In a tournament, entered of its classes may still be granted something; the first one of them, which
	// competes, is at the place at or behind it.
	line, moved []*equivalenceClass
	at, entered int
	// lead is the first ask of that class.
	lead entry
	// distance over which the first ask borrows (quota.Forest.BorrowingDistance). See type tournament for the others.
	distance                     int
	recheckNeeded, inRecheckList bool
	// winner is the queue, this one or one below it, that comes first in the tournament; nil if none competes.
	// competing holds the children that compete, heapIndex is the place among the siblings, share what the queue
	// would have with the winner's first ask; all as of the tournament of that number.
	winner     *queue
	competing  heap[*queue]
	heapIndex  int
	share      quota.Share
	tournament uint64

	// pending and admitted count this queue and those below it; holders are those that hold something of this queue
	// alone, ranked the same in the order in which they are preempted; leaving counts those of them that must release
	// something, grown those that have pods above their base gangs.
	pending, admitted int32
	holders           []*app
	ranked            ranking
	leaving, grown    int
	// pods that belong to no application, of this queue and those below it.
	pods PodCount
}

// equivalenceClass holds the asks of one queue with the same needs, the first one at place 0.
type equivalenceClass struct {
	key       string
	queue     *queue
	signature *signature
	// holdsFor bounds how long a grant is held; 0 means no bound.
	holdsFor time.Duration
	// unmanagedExecutor: the asks are executors of a driver that belongs to no application (queueing.Ask.Part). They
	// neither count for maxRunning nor wait for other applications to end: they would wait for their own driver.
	unmanagedExecutor bool
	// index in the queue's order, rank in its ranked lines.
	index, heapIndex int
	apps             heap[*app]
	// inadmissible is why no ask of this class can be admitted until the configuration changes; Undecided if they
	// can.
	inadmissible queueing.Verdict
	// options are the ways to place the pods in order of preference, without those that can never fit; choice is the
	// first one that fitted when the class was last tried.
	options []option
	choice  int
	// placements finds more ways where there are more than options; else nil.
	placements *placementSearch
	// blocked is the limit that blocked the class when it was last tried; reserved: enough quota was free, but
	// reserved for others.
	blocked  quota.Block
	reserved bool
	// obstacle is the limit that blocked it, if that is what must change before it can fit; else nil.
	obstacle *obstacle
	// triedAt is the tree's quotaVersion as of which the class did not fit, and noTargetsAt its targetVersion as of
	// which there were no targets for noTargetsFor; plan is the last one that was found.
	triedAt, noTargetsAt uint64
	noTargetsFor         *app
	plan                 *preemptionPlan
	// claims counts the asks that have a claim.
	claims int
	// lead is the entry by which it has its place in the line of its queue, if inLine; moved: that may have changed. tournament is
	// the one in which it may still be granted something.
	lead          entry
	inLine, moved bool
	tournament    uint64
	// verdictStale: it is listed in its queue.
	verdictStale bool
	// blockReason is why the class is pending as of the last cycle, and verdict says so.
	blockReason blockReason
	verdict     *queueing.Verdict
	// arrived are the asks that have been added since.
	arrived []*app
}

// signature is what asks with the same needs share. If one of them does not fit, none does.
type signature struct {
	// key is equal only for equal signatures.
	key     string
	podSets []queueing.PodSet
	// elastic is the index of the pod set that may start with fewer pods, or -1.
	elastic int
	// broken is what is negative about it; empty if nothing is.
	broken string
}

// option is one flavor placement of a class with its minimum and maximum needs.
type option struct {
	where            placement
	minNeed, maxNeed quota.Vector
}

// placement is a flavor for each pod set of a signature.
type placement []*FlavorConfig

// ask is one attempt that wants a grant.
type ask struct {
	run, attempt int64
	queue        string
	labels       map[string]string
	// needsLimits: see queueing.Ask.
	needsLimits bool
	priority    int32
	queuedAt    time.Time
	// holdsFor bounds how long the grant is held; 0 means no bound.
	holdsFor time.Duration
	// gated: the grant may grow.
	gated bool
	// inputs of the ask, which are copied into the grant.
	inputs string
	// unmanagedExecutor: see queueing.Ask.Part.
	unmanagedExecutor bool
	signature         *signature
	// headSince is when the ask, or one before it, became the blocked head of its queue; zero if none has.
	headSince time.Time
	// hasReservation is set once quota has been reserved for the ask, and expectedStart is when the ask starts at the
	// latest, as of then; zero if unknown.
	hasReservation bool
	expectedStart  time.Time
}

// app is one key: what it asks, what it holds, or both (then the ask waits for the release of what is held).
type app struct {
	key  queueing.Key
	ask  *ask
	held *heldGrant
	// claim of the pending ask; nil if nothing is reclaimed for it.
	claim *claim
	// verdict is the verdict on the waiting ask as of the last Cycle that looked at it; nil is Undecided.
	verdict *queueing.Verdict
	// class in which the ask stands, and its place there; nil while it is in none.
	class     *equivalenceClass
	heapIndex int
}

// heldGrant is one grant that is charged.
type heldGrant struct {
	grant queueing.Grant
	queue *queue
	// vector is what is charged, where queue has a node.
	vector quota.Vector
	// origin is the ask that was granted, to go back to; nil once the grant is confirmed.
	origin *ask
	// standing of the holder; known is false for a restored grant until SetHolderState.
	standing   queueing.HolderState
	stateKnown bool
	// serial grows with every grant: the newest is preempted first.
	serial uint64
	// evicted is why the grant must be released. leaving: it is counted among those that must release something.
	evicted *queueing.Eviction
	leaving bool
	// growth is what a gated grant has and wants above its base gang.
	growth growth
	// index among those that hold something of the queue.
	index int
}

// entry is the first ask of a class that has no claim, as a copy of what orders it: there may be many classes, most of which
// are compared often and granted nothing.
type entry struct {
	app      *app
	priority int32
	queuedAt time.Time
}

// claim is quota that is reclaimed for one ask, for its minimum of pods. What the targets hold is granted to no other
// ask, nor as more than the minimum to one that has a claim itself: until they have released it, the need of the ask
// also counts as used.
type claim struct {
	app  *app
	ask  *ask
	tree *tree
	// where the pods will be.
	where placement
	// targets that have been asked to go. If there are none, the claim is on what awaited hold, who terminate anyway.
	targets, awaited []queueing.Key
}

// reservation reserves quota for the head of a queue that has been blocked for longer than the queue's HeadTimeout;
// otherwise a stream of small asks could pass a large one forever. From then on other asks are admitted only if
//   - they come before it: in its own queue by the order there, in other queues by a higher priority;
//   - or they do not delay it: see reservations.delays;
//   - or they release their grant before its expected start (back-filling). The expected start is known if enough
//     holders at the beginning of the reservation have a known release time (queueing.HolderState.ReleasedBy).
//
// A head whose need is within the quota of its queue (guaranteed) therefore starts at the latest when everything that
// is held at the beginning of the reservation has been released, except for asks that come before it. A StrictFIFO
// queue whose HeadTimeout is 0 keeps only what is left of its own quota: others may also use what is free beyond that,
// and its head has no such bound.
type reservation struct {
	app        *app
	ask        *ask
	queue      *queue
	need       quota.Vector
	guaranteed bool
}

// growth is what the holder of a gated grant has and wants above its base gang.
type growth struct {
	want queueing.ResizeRequest
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

// Decision is one grant, or the growth of one.
type Decision struct {
	Key queueing.Key
	// Grown is by how many pods a grant has grown that was held before; 0 for a new one.
	Grown int32
	// Before is the grant that has grown; nil for a new one.
	Before *queueing.Grant
	// Root of the tree that is charged: its ledger must record the grant before the application sees it.
	Root string
	// Grant is to be recorded. Its pod sets are shared with the engine: do not change them.
	Grant queueing.Grant
}

// preemptionPlan is how an ask can be admitted by preemption.
type preemptionPlan struct {
	app    *app
	option *option
	// targets are to be preempted; awaited are terminating anyway.
	targets []*target
	awaited []queueing.Key
	// distance over which the ask borrows when the targets are gone. own: one of them is of its own queue.
	distance int
	own      bool
	// version of the holders for which the plan was made.
	version uint64
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

// ranking holds the holders of one queue in the order in which they are kept: higher priority first, then the older
// grant. The last one is the first to be preempted.
type ranking []*app

// PodCount counts pods that belong to no application.
type PodCount struct{ Pending, Admitted int32 }

// GateName is the name of this gate in the API and in its grants.
const GateName = "Embedded"

// target is what a holder may have to release: pods above its base gang in one flavor, or, if it is whole, all that
// the application has left.
type target struct {
	app   *app
	whole bool
	// flavor of the pods, and how many there are.
	flavor string
	max    int32
	// count of the pods that are to go; 1 for a whole application that is.
	count int32
	// vector is what one of them needs.
	vector quota.Vector
	// byBorrower: the ask borrows itself, and reclaims nothing. byShare: only because of the shares of both sides.
	byBorrower, byShare bool
}
