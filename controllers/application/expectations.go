// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/queueing"
)

// Expectations records the writes of this process. The watch lags behind them: a pass on an object older than the own last
// write would decide on what it has itself changed already. Safe for concurrent use.
type Expectations struct {
	mu   sync.Mutex
	apps map[types.NamespacedName]*applicationState
	// leftBy are the uids of applications that are gone and may have left objects, by their name.
	leftBy map[types.NamespacedName][]types.UID
}

type applicationState struct {
	uid     types.UID
	version string    // of the last own write, or of the list at the start
	written time.Time // last own write of the status
	// created is the attempt whose driver this process has created, and when.
	created   attempt
	createdAt time.Time
	// made is the driver pod of the attempt madeFor that this process has made as granted.
	made    types.UID
	madeFor attempt
	// unsettled is until when a create without an answer may still take effect.
	unsettled time.Time
	// ended is the attempt whose driver was seen to have ended, and since when.
	ended   attempt
	endSeen time.Time
	// fewerSeen is since when fewer executors were ready than the status says.
	fewerSeen time.Time
	// compared is the last comparison of the run template with the one that the status names.
	compared comparison
	// priority is that of the PriorityClass when it existed last.
	priority int32
	// prepared is what planning the next start found out; nil once its driver is created.
	prepared *prepared
	// ungating are the pods whose scheduling gates are being removed.
	ungating map[types.UID]pendingUngate
	// refusal is what is known of writes of the status that were refused.
	refusal refusal
	// gaveUp is an attempt whose grant went back although the status still has it.
	gaveUp attempt
	// fate is what is known of how the application goes.
	fate fate
}

// raiseVersion remembers a version, unless a newer one is known.
func (r *applicationState) raiseVersion(version string) {
	if r.version == "" || older(r.version, version) {
		r.version = version
	}
}

// comparison is whether the run template of a generation is the one of a hash.
type comparison struct {
	generation int64
	hash       string
	same       bool
}

// prepared is what planning a start has found out. It spares those passes the same work that ask again or submit.
type prepared struct {
	generation int64
	attempt    attempt
	// looked is when what the application refers to was looked at.
	looked time.Time
	// environment is the version of what the API server adds to requests of pods.
	environment string
	// target is the gate for which it was found out, and gated says that executors wait behind a scheduling gate.
	target targetGate
	gated  bool
	hash   string
	// inputs identify everything that it was found out from.
	inputs    string
	names     render.Names
	uiAddress string
	// historyAddress is where the attempt will be found at the history server; empty if it will not.
	historyAddress string
	executors      int32
	podSets        []queueing.PodSet
	accounts       []account
	classes        []class
	// templates are the pods by pod set; nil unless the gate describes pods to another system.
	templates map[string]*corev1.PodTemplateSpec
}

// validFor reports whether something was found out, and that it holds in an environment and for a gate.
func (r *prepared) validFor(environment string, asked targetGate) bool {
	return r != nil && r.environment == environment && r.target == asked
}

type attempt struct{ run, attempt int64 }

// NewExpectations returns an empty memory.
func NewExpectations() *Expectations {
	return &Expectations{apps: map[types.NamespacedName]*applicationState{}, leftBy: map[types.NamespacedName][]types.UID{}}
}

// IsStale reports whether an object is older than what this process knows to exist.
func (m *Expectations) IsStale(obj client.Object) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.apps[client.ObjectKeyFromObject(obj)]
	return r != nil && r.uid == obj.GetUID() && older(obj.GetResourceVersion(), r.version)
}

// Observed records that the object exists in this version.
func (m *Expectations) Observed(obj client.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	r.raiseVersion(obj.GetResourceVersion())
}

// Forget drops what is remembered of an application.
func (m *Expectations) Forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.apps, name)
}

func (m *Expectations) recordWrite(obj client.Object, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	r.raiseVersion(obj.GetResourceVersion())
	r.written = at
}

func (m *Expectations) lastWrite(obj client.Object) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stateOf(obj).written
}

func (m *Expectations) expectDriver(obj client.Object, a attempt, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	r.created, r.createdAt, r.unsettled, r.prepared = a, at, time.Time{}, nil
}

func (m *Expectations) recordDriver(obj client.Object, a attempt, uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	r.made, r.madeFor = uid, a
}

// createdDriver returns the driver pod of an attempt that this process has made as granted; empty if it has not.
func (m *Expectations) createdDriver(obj client.Object, a attempt) types.UID {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.stateOf(obj); r.madeFor == a {
		return r.made
	}
	return ""
}

// createdSince returns when this process created the driver of an attempt; zero if it did not.
func (m *Expectations) createdSince(obj client.Object, a attempt) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.stateOf(obj); r.created == a {
		return r.createdAt
	}
	return time.Time{}
}

func (m *Expectations) unanswered(obj client.Object, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stateOf(obj).unsettled = until
}

func (m *Expectations) unsettledUntil(obj client.Object) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stateOf(obj).unsettled
}

// priority returns the current priority of an application, if that is known, else the last that was known to this process, else 0: whoever
// runs keeps its standing although its PriorityClass was deleted.
func (m *Expectations) priority(obj client.Object, current int32, known bool) int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	if known {
		r.priority = current
	}
	return r.priority
}

// endSince returns when this process was first told that the driver of an attempt has ended: now, if it is the first time.
func (m *Expectations) endSince(obj client.Object, a attempt, now time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	if r.ended != a {
		r.ended, r.endSeen = a, now
	}
	return r.endSeen
}

// fewerSince returns since when this process was told that fewer executors are ready than the status says; zero if they are not.
func (m *Expectations) fewerSince(obj client.Object, fewer bool, now time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.stateOf(obj)
	switch {
	case !fewer:
		r.fewerSeen = time.Time{}
	case r.fewerSeen.IsZero():
		r.fewerSeen = now
	}
	return r.fewerSeen
}

// sameTemplate is templatehash.Matches with the answer remembered: spec and hash seldom change, and every pass asks.
func (m *Expectations) sameTemplate(app *v1alpha1.SparkApplication) bool {
	m.mu.Lock()
	known := m.stateOf(app).compared
	m.mu.Unlock()
	if known.hash != "" && known.generation == app.Generation && known.hash == app.Status.TemplateHash {
		return known.same
	}
	same, err := templatehash.Matches(&app.Spec, app.Status.TemplateHash)
	same = same && err == nil
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stateOf(app).compared = comparison{app.Generation, app.Status.TemplateHash, same}
	return same
}

// prepared returns what an earlier pass has found out about a start of this generation; nil if nothing.
func (m *Expectations) prepared(app client.Object, a attempt) *prepared {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.stateOf(app).prepared; known != nil && known.generation == app.GetGeneration() && known.attempt == a {
		return known
	}
	return nil
}

func (m *Expectations) storePrepared(app client.Object, ready *prepared) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stateOf(app).prepared = ready
}

// stateOf returns the entry of an object; one of another uid is replaced. The caller holds the lock.
func (m *Expectations) stateOf(obj client.Object) *applicationState {
	key := client.ObjectKeyFromObject(obj)
	r := m.apps[key]
	if r == nil || r.uid != obj.GetUID() {
		if r != nil && r.fate.lost() {
			m.leave(key, r.uid)
		}
		r = &applicationState{uid: obj.GetUID()}
		m.apps[key] = r
	}
	return r
}

// older reports whether a resource version is older than another. One that is empty or no number is neither older nor newer.
func older(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}
