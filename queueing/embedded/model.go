// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// tree holds all queues below one root. Decisions on them are made together. Queues that do not exist belong to the
// tree with the empty name.
type tree struct {
	root string
	// queues are the queues of the tree, pendingQueues those of them with pending asks. Both are sorted by name.
	queues, pendingQueues []*queue
	// entering are the queues that entered the last tournament, mayPreempt the classes that were considered for
	// preemption.
	entering   []*queue
	mayPreempt []*equivalenceClass
	// fairSharing is true if a queue of the tree uses fair sharing.
	fairSharing bool
	// dirty is true if something has changed since the last complete cycle.
	dirty bool
	// reservations are those of the current or last cycle, in the order of their asks. reservationsAt are the versions
	// at which the tree was last marked dirty because of them.
	reservations   []*reservation
	reservationsAt versions
	// reservedFrom are the classes that did not fit because of reservations.
	reservedFrom []*equivalenceClass
	// quotaVersion grows when an ask that did not fit may fit now, targetVersion when an ask without targets may have
	// some now, and holderVersion when anything about the holders has changed.
	quotaVersion, targetVersion, holderVersion uint64
	// interrupted is true if the last cycle stopped at its maximum of grants. firstOfCycle is the serial of the first
	// grant of the current cycle, including its interrupted parts.
	interrupted  bool
	firstOfCycle uint64
	// unknownStates counts the holders in the tree whose state is not known.
	unknownStates int
}

// versions are the versions of a tree that determine what may be preempted.
type versions struct{ holderVersion, firstOfCycle uint64 }

// attempt are the versions of a tree at which no ask could be admitted or could preempt.
type attempt struct{ quotaVersion, targetVersion uint64 }

// queue is a queue that is configured, or only named by an ask or a grant.
type queue struct {
	name string
	tree *tree
	// parent is the queue to which the usage of this one is added. ancestors are the names of the parent and of all
	// queues above it, as configured.
	parent    *queue
	ancestors []string
	// config is nil if the queue does not exist.
	config *config.Queue
	// node is quota.None if the queue is in no tree.
	node quota.NodeID
	// stoppedBy is the nearest stopped queue, this one or one above it; drainedBy is the nearest drained one.
	stoppedBy, drainedBy *queue
	// flavors are those in which the queue may place pods. flavorsOf is the queue that names them, this one or one
	// above it; nil if none does and flavors is DefaultFlavor.
	flavors   []string
	flavorsOf *queue
	// Limited is true if any queue of the tree has a quota. noQuota is true if none has one and the root is not
	// unlimited.
	limited, noQuota bool

	// classByKey and classes hold the pending asks by equivalence class, in no particular order. admissible holds those
	// classes that are not inadmissible, with the class of the first ask at index 0.
	classByKey map[string]*equivalenceClass
	classes    []*equivalenceClass
	admissible heap[*equivalenceClass]
	// obstacles are the limits that block the queue's classes, computed at the tree's quotaVersion obstaclesAt.
	obstacles   []*obstacle
	obstaclesAt uint64
	// preemptors are the classes to try for preemption; nil if they must be determined again.
	preemptors []*equivalenceClass
	// settledAt are the versions at which the queue last entered a tournament; zero if asks were added or removed
	// since.
	settledAt attempt
	// blockReason is why the last verdicts say that no ask of the queue is admitted. staleClasses are the classes whose
	// verdicts may need an update.
	blockReason  blockReason
	staleClasses []*equivalenceClass
	// blockedHead is the head at the end of the last cycle if it did not fit; strictHead is the same for a StrictFIFO
	// queue.
	blockedHead, strictHead *app
	// enteredHead is the class whose ask was the head of a StrictFIFO queue when it last entered a tournament.
	enteredHead *equivalenceClass
	// line holds the classes that have asks without claims, ordered by the first of these asks, except for the classes
	// in moved, whose order may have changed. In a tournament, entered is the number of its classes that may still be
	// granted something. The first of them competes; it is at index at or later.
	line, moved []*equivalenceClass
	at, entered int
	// lead is the first ask of the competing class.
	lead entry
	// distance is over how many levels that ask borrows (quota.Forest.BorrowingDistance). See type tournament for the
	// other two.
	distance                     int
	recheckNeeded, inRecheckList bool
	// winner is the queue that comes first in the tournament, this one or one below it; nil if none competes. competing
	// holds the competing children, heapIndex is the index among the siblings, share is the share that the queue would
	// have with the winner's first ask. All of these belong to the tournament with the number tournament.
	winner     *queue
	competing  heap[*queue]
	heapIndex  int
	share      quota.Share
	tournament uint64

	// pending and admitted count askers in this queue and those below it. holders are those that are charged to this
	// very queue, and ranked are the same in preemption order. leaving counts the holders that must release something,
	// grown those that have pods above their base gangs.
	pending, admitted int32
	holders           []*app
	ranked            ranking
	leaving, grown    int
	// kinds has the same counts by kind, parts included.
	kinds kindCounts
}

// equivalenceClass holds the asks of one queue with the same needs, the first one at index 0.
type equivalenceClass struct {
	key       string
	queue     *queue
	signature *signature
	// holdsFor bounds how long a grant is held; 0 means no bound.
	holdsFor time.Duration
	// part is true if the asks are for parts of what is already admitted (queueing.Ask.Part). They neither count for
	// maxRunning nor wait for other askers to end, because then they would wait for their own owner.
	part bool
	// index is the index in queue.classes, heapIndex the one in queue.admissible.
	index, heapIndex int
	apps             heap[*app]
	// inadmissible is the verdict if no ask of this class can be admitted until the configuration changes, else
	// Undecided.
	inadmissible queueing.Verdict
	// options are the ways to place the pods in order of preference, except those that can never fit. choice is the
	// index of the first one that fitted when the class was last tried.
	options []option
	choice  int
	// placements searches for further options if not all of them are listed in options; else nil.
	placements *placementSearch
	// blocked is the limit that blocked the class when it was last tried. reserved is true if there was enough free
	// quota, but it was reserved for others.
	blocked  quota.Block
	reserved bool
	// obstacle is the limit that must change before the class can fit; nil if a limit is not what blocks it.
	obstacle *obstacle
	// triedAt is the tree's quotaVersion at which the class did not fit. noTargetsAt is the targetVersion at which
	// noTargetsFor had no targets; plan is the last preemption plan that was found.
	triedAt, noTargetsAt uint64
	noTargetsFor         *app
	plan                 *preemptionPlan
	// claims counts the asks with a claim.
	claims int
	// lead is the entry that determines the class's position in the queue's line, if inLine. moved is true if that may
	// have changed. tournament is the last tournament in which the class may be granted something.
	lead          entry
	inLine, moved bool
	tournament    uint64
	// verdictStale is true if the class is in queue.staleClasses.
	verdictStale bool
	// blockReason is why the class is pending since the last cycle; verdict has it in words.
	blockReason blockReason
	verdict     *queueing.Verdict
	// arrived are the asks that were added since.
	arrived []*app
}

// signature holds what asks with the same needs have in common. If one of them does not fit, none does.
type signature struct {
	// key is equal for equal signatures only.
	key     string
	podSets []queueing.PodSet
	// elastic is the index of the pod set that may start with fewer pods, or -1.
	elastic int
	// broken describes a negative amount in the ask; empty if there is none.
	broken string
}

// option is one placement of a class in flavors, with its minimum and maximum needs.
type option struct {
	where            placement
	minNeed, maxNeed quota.Vector
}

// placement holds the flavor for each pod set of a signature.
type placement []*config.Flavor

// ask is one attempt that requests a grant.
type ask struct {
	run, attempt int64
	queue        string
	labels       map[string]string
	// needsLimits is queueing.Ask.NeedsLimits.
	needsLimits bool
	priority    int32
	queuedAt    time.Time
	// holdsFor bounds how long the grant is held; 0 means no bound.
	holdsFor time.Duration
	// elastic is queueing.Ask.Elastic: the grant may grow unless it is empty.
	elastic string
	// inputs is copied from the ask into the grant.
	inputs string
	// part is queueing.Ask.Part.
	part      bool
	signature *signature
	// headSince is when this ask, or one that it replaced at the head of the queue, became the blocked head; zero if it
	// is not one.
	headSince time.Time
	// hasReservation is set once quota was reserved for the ask. expectedStart is the latest time at which the ask will
	// start, as calculated then; zero if unknown.
	hasReservation bool
	expectedStart  time.Time
}

// app is what is known under one key: an ask, a grant, or both, in which case the ask waits for the release of the
// grant.
type app struct {
	key  queueing.Key
	ask  *ask
	held *heldGrant
	// claim is the claim of the pending ask; nil if nothing is reclaimed for it.
	claim *claim
	// verdict is the verdict of the last Cycle that evaluated the waiting ask; nil is Undecided.
	verdict *queueing.Verdict
	// class is the class of the pending ask, and heapIndex the index in it; nil if the ask is in none.
	class     *equivalenceClass
	heapIndex int
}

// heldGrant is one grant that is charged.
type heldGrant struct {
	grant queueing.Grant
	queue *queue
	// vector is what is charged to the node of queue, if it has one.
	vector quota.Vector
	// origin is the ask that was granted, for Revert; nil once the grant is confirmed.
	origin *ask
	// standing is the state of the holder. stateKnown is false for a restored grant until SetHolderState is called.
	standing   queueing.HolderState
	stateKnown bool
	// serial grows with every grant: the newest is preempted first.
	serial uint64
	// evicted is why the grant must be released. leaving is true if the grant counts in queue.leaving.
	evicted *queueing.Eviction
	leaving bool
	// growth is what a gated grant has and wants above its base gang.
	growth growth
	// index is the index in queue.holders.
	index int
}

// entry is the first ask of a class that has no claim, with a copy of the values that order it. There may be many
// classes, most of which are compared often and granted nothing.
type entry struct {
	app      *app
	priority int32
	queuedAt time.Time
}

// claim is quota that is being reclaimed for one ask, enough for its minimum of pods. What the targets hold is granted
// to no other ask, and not as pods beyond the minimum to another ask with a claim: until the targets have released it,
// the need of the claim's ask also counts as used.
type claim struct {
	app  *app
	ask  *ask
	tree *tree
	// where is the placement of the pods.
	where placement
	// targets are the holders that were asked to release quota. If there are none, the claim is on what the holders in
	// awaited release, which are terminating anyway.
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
	// before is the grant before it grew, until the growth is settled; else nil. The grant does not grow again before
	// that.
	before *queueing.Grant
	// reclaims are pods above the base gang that must be released, in the order of their claims.
	reclaims []reclaim
	// blocked is the limit that blocked the last pod that was wanted.
	blocked quota.Block
	// message is why the holder does not have everything that it wants; empty if it does.
	message string
}

// reclaim is a number of pods above the base gang, in one flavor, that must be released for one ask.
type reclaim struct {
	by       queueing.Key
	flavor   string
	count    int32
	eviction queueing.Eviction
}

// Decision is a new grant, or the growth of a grant.
type Decision struct {
	Key queueing.Key `json:"key"`
	// Grown is the number of pods by which an existing grant has grown; 0 for a new grant.
	Grown int32 `json:"grown,omitempty"`
	// Before is the grant before it grew; nil for a new grant.
	Before *queueing.Grant `json:"-"`
	// Root is the root of the tree that is charged. Its ledger must record the grant before the asker sees it.
	Root string `json:"root"`
	// Grant is the grant to record. Its pod sets are shared with the engine: do not modify them.
	Grant queueing.Grant `json:"grant"`
}

// preemptionPlan is how an ask can be admitted by preemption.
type preemptionPlan struct {
	app    *app
	option *option
	// targets are to be preempted; awaited are terminating anyway.
	targets []*target
	awaited []queueing.Key
	// distance is over how many levels the ask borrows once the targets are gone. own is true if one of them is in the
	// ask's own queue.
	distance int
	own      bool
	// version is the holderVersion for which the plan was made.
	version uint64
}

// blockReason is why a class is pending: the content of a verdict before it is put into words. Equal reasons give equal
// messages.
type blockReason struct {
	// reason is one of the reasons of package queueing.
	reason string
	// queue is the queue that is stopped or full.
	queue *queue
	// limit is the limit that blocks, if the reason is WaitingForQuota.
	limit quota.Block
	// notHead is true if the class does not contain the head of its StrictFIFO queue.
	notHead bool
	// reserved is true if there is enough free quota, but it is reserved for asks that have waited longer.
	reserved bool
}

// ranking holds the holders of one queue in the order in which they are kept: higher priority first, then older grants.
// The last one is preempted first.
type ranking []*app

// Count counts pending asks and grants.
type Count struct{ Pending, Admitted int32 }

// kindCount counts those of one kind of asker.
type kindCount struct {
	kind string
	Count
}

// kindCounts has one element for each kind that has asked. They are few, so a list is faster than a map.
type kindCounts []kindCount

// GateName is the name of this gate in the API and in its grants.
const GateName = "Embedded"

// target is what a holder may have to release: pods above its base gang in one flavor, or everything the asker has
// left, if whole is true.
type target struct {
	app   *app
	whole bool
	// flavor is the flavor of the pods, and max is how many there are.
	flavor string
	max    int32
	// count is how many of the pods must go; 1 for a whole asker that must go.
	count int32
	// vector is the need of one of them.
	vector quota.Vector
	// byBorrower is true if the ask borrows itself, so that it reclaims nothing. byShare is true if the target is
	// eligible only because of the shares of both sides.
	byBorrower, byShare bool
}
