// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/queueing"
)

// planCache caches the results of planning, so that a start is not planned anew in every pass. It is safe for
// concurrent use.
type planCache struct{ perApp[planned] }

// planned is the cached state of one application.
type planned struct {
	// compared is the last comparison of the run template with the hash in the status.
	compared comparison
	// prepared is the result of planning the next start; nil once its driver was created.
	prepared *prepared
	// heldBack is the last plan of a next start that cannot begin while an attempt is running; nil if there is none.
	heldBack *heldBack
}

// heldBack is a plan of a start that cannot begin yet, for one generation, and when it was planned.
type heldBack struct {
	generation int64
	attempt    attempt
	looked     time.Time
	plan       *lifecycle.Plan
}

func newPlanCache() *planCache { return &planCache{newPerApp[planned]()} }

// comparison is whether the run template of a generation has a certain hash.
type comparison struct {
	generation int64
	hash       string
	same       bool
}

// prepared is the result of planning a start, for later passes that ask again or create its objects.
type prepared struct {
	generation int64
	attempt    attempt
	// checkedAt is when the references of the application were checked.
	checkedAt time.Time
	// environment is the version of what the API server adds to the requests of pods; see reader.environment.
	environment string
	// target is the gate that the start was planned for. gated is true if executors are created with a scheduling gate.
	target targetGate
	gated  bool
	hash   string
	// inputs is the hash of everything that the plan was derived from.
	inputs    string
	names     render.Names
	uiAddress string
	// historyAddress is the URL of the attempt on the history server; empty if there is none.
	historyAddress string
	executors      int32
	podSets        []queueing.PodSet
	accounts       []account
	// rights are the rights that the driver's service account needs.
	rights []rights.Right
	// references are the objects that pods name and cannot start without.
	references []podrefs.Reference
	// incomplete is true if a reference or a right was missing at the last check. Later passes do not reuse the checks
	// until nothing is missing.
	incomplete bool
	classes    []class
	// templates are the pods by pod set; nil unless the gate describes pods to another system.
	templates map[string]*corev1.PodTemplateSpec
}

// validFor reports whether r is not nil and is valid for this environment and gate.
func (r *prepared) validFor(environment string, asked targetGate) bool {
	return r != nil && r.environment == environment && r.target == asked
}

// sameTemplate is templatehash.Matches with a cached answer: every pass asks, but spec and hash seldom change.
func (c *planCache) sameTemplate(app *v1alpha1.SparkApplication) bool {
	known := c.get(app).compared
	if known.hash != "" && known.generation == app.Generation && known.hash == app.Status.TemplateHash {
		return known.same
	}
	same, err := templatehash.Matches(&app.Spec, app.Status.TemplateHash)
	same = same && err == nil
	c.remember(app, app.Status.TemplateHash, same)
	return same
}

// templateHash is templatehash.Of. It caches that the template has this hash, so that the passes after the write of the
// status need not compare it again.
func (c *planCache) templateHash(app *v1alpha1.SparkApplication) (string, error) {
	hash, err := templatehash.Of(&app.Spec)
	if err == nil {
		c.remember(app, hash, true)
	}
	return hash, err
}

// remember caches whether the run template of an application has a certain hash.
func (c *planCache) remember(app *v1alpha1.SparkApplication, hash string, same bool) {
	c.update(app, func(p *planned) { p.compared = comparison{app.Generation, hash, same} })
}

// prepared returns the result of planning this start in an earlier pass, or nil if there is none for the current
// generation.
func (c *planCache) prepared(app client.Object, a attempt) *prepared {
	if known := c.get(app).prepared; known != nil && known.generation == app.GetGeneration() && known.attempt == a {
		return known
	}
	return nil
}

func (c *planCache) store(app client.Object, ready *prepared) {
	c.update(app, func(p *planned) { p.prepared = ready })
}

// heldBack returns the last plan of a start of this generation that could not begin, or nil, and whether it is younger
// than heldBackTTL. The pods of a running attempt trigger many passes, which should not plan each time.
func (c *planCache) heldBack(app client.Object, a attempt, now time.Time) (plan *lifecycle.Plan, lately bool) {
	last := c.get(app).heldBack
	if last == nil || last.generation != app.GetGeneration() || last.attempt != a {
		return nil, false
	}
	return last.plan, now.Before(last.looked.Add(heldBackTTL))
}

// attemptEnded forgets the start that was held back during an attempt: it is now planned like any other.
func (c *planCache) attemptEnded(app client.Object) {
	if c.get(app).heldBack != nil {
		c.update(app, func(p *planned) { p.heldBack = nil })
	}
}

// heldBackTTL is how long a start that could not begin is not planned again.
const heldBackTTL = 10 * time.Second

func (c *planCache) storeHeldBack(app client.Object, last *heldBack) {
	c.update(app, func(p *planned) { p.heldBack = last })
}

// drop forgets the result of planning a start, because its driver was created.
func (c *planCache) drop(app client.Object) {
	c.update(app, func(p *planned) { p.prepared = nil })
}
