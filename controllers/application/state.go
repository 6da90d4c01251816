// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
)

// state is the state of one pass, shared by its parts.
type state struct {
	*Reconciler
	app *v1alpha1.SparkApplication
	// record is what is remembered of the application.
	record *memory.Record
	// observed is the input of the decisions of this pass.
	observed lifecycle.Observation
	// plan is the plan of this pass, or nil if none was needed. The verdict refers to it.
	plan *lifecycle.Plan
	// outdated names the inputs that changed after the grant was given. It is set while acting.
	outdated string
	// obstacle says why the driver cannot be created for now. It is set while acting.
	obstacle string
	// rejection says why the API server will never accept an object as it is. It is set while acting.
	rejection string
	// requeueAfter is when to repeat the pass because something is not known yet, as in ctrl.Result.
	requeueAfter time.Duration
}

// blocked reports whether the pass found, while acting, that the driver cannot be created.
func (st *state) blocked() bool { return st.obstacle != "" || st.outdated != "" || st.rejection != "" }

// requeueWithin requests another pass within the given time, or immediately if it is not positive.
func (st *state) requeueWithin(after time.Duration) {
	st.requeueAfter = sooner(st.requeueAfter, max(after, time.Millisecond))
}

// sooner returns the shorter of two delays as in ctrl.Result, where 0 means no requeue.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// gateName returns the gate of the application's grant, else the gate of this pass's plan, else Embedded.
func (st *state) gateName() string {
	switch {
	case st.app.Status.Grant != nil:
		return string(st.app.Status.Grant.Gate)
	case st.plan != nil:
		return st.plan.Gate
	}
	return string(v1alpha1.GateEmbedded)
}

// retryLaterError ends a pass that must be repeated after a pause. It is not logged as a failure.
type retryLaterError struct {
	after time.Duration
	why   string
}

func (e *retryLaterError) Error() string { return e.why }
