// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
)

// Plans caches the results of planning, so that a start is not planned anew in every pass.
type Plans struct {
	// compared is the last comparison of the run template with the hash in the status.
	compared comparison
	// prepared is the result of planning the next start; nil once its driver was created.
	prepared *Prepared
	// heldBack is the last plan of a next start that cannot begin while an attempt is running; nil if there is none.
	heldBack *heldBack
}

// comparison is whether the run template of a generation has a certain hash.
type comparison struct {
	generation int64
	hash       string
	same       bool
}

// heldBack is a plan of a start that cannot begin yet, for one generation, and when it was planned.
type heldBack struct {
	generation int64
	attempt    lifecycle.AttemptID
	looked     time.Time
	plan       *lifecycle.Plan
}

// Prepared is the result of planning a start, for later passes that ask again or create its objects.
type Prepared struct {
	Generation int64
	Attempt    lifecycle.AttemptID
	// CheckedAt is when the references of the application were checked.
	CheckedAt time.Time
	// Environment is the version of what the API server adds to the requests of pods.
	Environment string
	// Target is what the start was planned for. Gated is true if executors are created with a scheduling gate.
	Target Target
	Gated  bool
	// Plan is the plan of the start. Later passes add to it where the start asks then.
	Plan lifecycle.Plan
	// Accounts are the service accounts of the pods, the driver's first, and Classes the PriorityClasses in their
	// templates.
	Accounts, Classes []Named
	// Rights are the rights that the driver's service account needs.
	Rights []rights.Right
	// References are the objects that pods name and cannot start without.
	References []podrefs.Reference
	// Incomplete is true if a reference or a right was missing at the last check. Later passes do not reuse the checks
	// until nothing is missing.
	Incomplete bool
	// Templates are the pods by pod set; nil unless the gate describes pods to another system.
	Templates map[string]*corev1.PodTemplateSpec
}

// Named is the name of an object, and the field that names it or the pods that use it.
type Named struct{ Name, By string }

// Target is the gate that a start asks, whether the namespace is guarded, and all settings of the namespace. A prepared
// start is valid only for an equal Target.
type Target struct {
	Gate     string
	Guarded  bool
	Settings string
}

// ValidFor reports whether p is not nil and is valid for this environment and target.
func (p *Prepared) ValidFor(environment string, target Target) bool {
	return p != nil && p.Environment == environment && p.Target == target
}

// SameTemplate is templatehash.Matches with a cached answer: every pass asks, but spec and hash seldom change.
func (p *Plans) SameTemplate(app *v1alpha1.SparkApplication) bool {
	if known := p.compared; known.hash != "" && known.generation == app.Generation && known.hash == app.Status.TemplateHash {
		return known.same
	}
	same, err := templatehash.Matches(&app.Spec, app.Status.TemplateHash)
	p.compared = comparison{app.Generation, app.Status.TemplateHash, same && err == nil}
	return p.compared.same
}

// TemplateHash is templatehash.Of. It caches that the template has this hash, so that the passes after the write of the
// status need not compare it again.
func (p *Plans) TemplateHash(app *v1alpha1.SparkApplication) (string, error) {
	hash, err := templatehash.Of(&app.Spec)
	if err == nil {
		p.compared = comparison{app.Generation, hash, true}
	}
	return hash, err
}

// Prepared returns the result of planning this start in an earlier pass, or nil if there is none for this generation of
// the application.
func (p *Plans) Prepared(generation int64, attempt lifecycle.AttemptID) *Prepared {
	if known := p.prepared; known != nil && known.Generation == generation && known.Attempt == attempt {
		return known
	}
	return nil
}

// Prepare keeps the result of planning a start. It must not be changed afterwards.
func (p *Plans) Prepare(ready *Prepared) { p.prepared = ready }

// Used forgets the result of planning a start, because its driver was created.
func (p *Plans) Used() { p.prepared = nil }

// HeldBackTTL is how long a start that could not begin is not planned again.
const HeldBackTTL = 10 * time.Second

// HeldBack returns the last plan of a start of this generation that could not begin, or nil, and whether it is younger
// than HeldBackTTL. The pods of a running attempt trigger many passes, which should not plan each time.
func (p *Plans) HeldBack(generation int64, attempt lifecycle.AttemptID, now time.Time) (plan *lifecycle.Plan, lately bool) {
	last := p.heldBack
	if last == nil || last.generation != generation || last.attempt != attempt {
		return nil, false
	}
	return last.plan, now.Before(last.looked.Add(HeldBackTTL))
}

// HoldBack keeps the plan of a start that cannot begin.
func (p *Plans) HoldBack(generation int64, attempt lifecycle.AttemptID, now time.Time, plan *lifecycle.Plan) {
	p.heldBack = &heldBack{generation, attempt, now, plan}
}

// AttemptEnded forgets the start that was held back during an attempt: it is now planned like any other.
func (p *Plans) AttemptEnded() { p.heldBack = nil }
