// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
)

// state of one pass, shared by its parts.
type state struct {
	*Reconciler
	app *v1alpha1.SparkApplication
	// observed is what decisions of the pass are made from.
	observed lifecycle.Observation
	// plan of the pass, kept for the verdict.
	plan *lifecycle.Plan
	// outdated names the inputs that have changed since the grant was given; found while acting.
	outdated string
	// obstacle is why the driver cannot be created at the moment; found while acting.
	obstacle string
	// rejection is why the API server will never accept an object as it is; found while acting.
	rejection string
	// requeueAfter is when the pass is repeated because something is not known yet, as in ctrl.Result.
	requeueAfter time.Duration
}

// hindered reports whether the pass has found, while acting, that the driver cannot be created.
func (st *state) hindered() bool { return st.obstacle != "" || st.outdated != "" || st.rejection != "" }

// lookAgain asks for another pass after that time at the latest; at once if it is over.
func (st *state) lookAgain(after time.Duration) {
	st.requeueAfter = sooner(st.requeueAfter, max(after, time.Millisecond))
}

// sooner returns the shorter of two pauses before a requeue, as in ctrl.Result: 0 asks for none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// gateName returns the gate of the application's grant, else that of the plan of this pass, else Embedded.
func (st *state) gateName() string {
	switch {
	case st.app.Status.Grant != nil:
		return string(st.app.Status.Grant.Gate)
	case st.plan != nil:
		return st.plan.Gate
	}
	return string(v1alpha1.GateEmbedded)
}

// retryLaterError ends a pass that has to be repeated after a pause. It is not logged as a failure.
type retryLaterError struct {
	after time.Duration
	why   string
}

func (e *retryLaterError) Error() string { return e.why }
