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

// planCache keeps the results of planning, so that a start is planned once and not in every pass. Safe for concurrent use.
type planCache struct{ perApp[planned] }

// planned is what is kept for one application.
type planned struct {
	// compared is the last comparison of the run template with the one that the status names.
	compared comparison
	// prepared is the result of planning the next start; nil once its driver is created.
	prepared *prepared
	// heldBack is the last plan of a start that cannot begin while an attempt is under way; nil if there was none.
	heldBack *heldBack
}

// heldBack is a plan of a start that cannot begin, of a generation, and when it was made.
type heldBack struct {
	generation int64
	attempt    attempt
	looked     time.Time
	plan       *lifecycle.Plan
}

func newPlanCache() *planCache { return &planCache{newPerApp[planned]()} }

// comparison is whether the run template of a generation is the one of a hash.
type comparison struct {
	generation int64
	hash       string
	same       bool
}

// prepared is the result of planning a start, for later passes that ask again or submit it.
type prepared struct {
	generation int64
	attempt    attempt
	// checkedAt is when what the application refers to was checked.
	checkedAt time.Time
	// environment is the version of what the API server adds to the requests of pods.
	environment string
	// target is the gate that the start was planned for; gated says that executors wait behind a scheduling gate.
	target targetGate
	gated  bool
	hash   string
	// inputs is the hash of everything that the plan was derived from.
	inputs    string
	names     render.Names
	uiAddress string
	// historyAddress is the address of the attempt on the history server; empty if there will be none.
	historyAddress string
	executors      int32
	podSets        []queueing.PodSet
	accounts       []account
	// rights are those that the account of the driver needs.
	rights []rights.Right
	// references are what the pods name and cannot start without.
	references []podrefs.Reference
	// incomplete says that a reference or a right was missing when it was last checked: no pass reuses the checks before it is there.
	incomplete bool
	classes    []class
	// templates are the pods by pod set; nil unless the gate describes pods to another system.
	templates map[string]*corev1.PodTemplateSpec
}

// validFor reports whether there is a result that is valid in an environment and for a gate.
func (r *prepared) validFor(environment string, asked targetGate) bool {
	return r != nil && r.environment == environment && r.target == asked
}

// sameTemplate is templatehash.Matches with the answer remembered: spec and hash seldom change, and every pass asks.
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

// templateHash is templatehash.Of. The hash goes into the status, and the passes after that need not compare it with the spec.
func (c *planCache) templateHash(app *v1alpha1.SparkApplication) (string, error) {
	hash, err := templatehash.Of(&app.Spec)
	if err == nil {
		c.remember(app, hash, true)
	}
	return hash, err
}

// remember keeps whether the run template of an application is the one of a hash.
func (c *planCache) remember(app *v1alpha1.SparkApplication, hash string, same bool) {
	c.update(app, func(p *planned) { p.compared = comparison{app.Generation, hash, same} })
}

// prepared returns the result of planning that start in this generation in an earlier pass; nil if there is none.
func (c *planCache) prepared(app client.Object, a attempt) *prepared {
	if known := c.get(app).prepared; known != nil && known.generation == app.GetGeneration() && known.attempt == a {
		return known
	}
	return nil
}

func (c *planCache) store(app client.Object, ready *prepared) {
	c.update(app, func(p *planned) { p.prepared = ready })
}

// heldBack returns the last plan of a start of this generation that could not begin, nil if there is none, and whether that was a moment ago:
// while an attempt is under way, its pods cause many passes.
func (c *planCache) heldBack(app client.Object, a attempt, now time.Time) (plan *lifecycle.Plan, lately bool) {
	last := c.get(app).heldBack
	if last == nil || last.generation != app.GetGeneration() || last.attempt != a {
		return nil, false
	}
	return last.plan, now.Before(last.looked.Add(heldBackTTL))
}

// attemptEnded forgets the start that was held back by an attempt: it is planned on its own now.
func (c *planCache) attemptEnded(app client.Object) {
	if c.get(app).heldBack != nil {
		c.update(app, func(p *planned) { p.heldBack = nil })
	}
}

// heldBackTTL is how long a start counts as unable to begin after it was planned.
const heldBackTTL = 10 * time.Second

func (c *planCache) storeHeldBack(app client.Object, last *heldBack) {
	c.update(app, func(p *planned) { p.heldBack = last })
}

// drop forgets the result of planning a start: its driver is created.
func (c *planCache) drop(app client.Object) {
	c.update(app, func(p *planned) { p.prepared = nil })
}
