// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/queueing"
)

// state of one pass, shared by its parts.
type state struct {
	*Reconciler
	app *v1alpha1.SparkApplication
	o   lifecycle.Observation
	// plan of the pass, kept for the verdict.
	plan *lifecycle.Plan
	// outdated says what has changed since the grant was given, as it was met while acting.
	outdated string
	// obstacle met while acting.
	obstacle string
	// rejection is why the API server will not create an object as it is, as it was met while acting.
	rejection string
	// requeueAfter is when the pass should be repeated because something could not be known yet.
	requeueAfter time.Duration
}

// hindered reports whether the pass has met something while acting that keeps the driver from being made.
func (st *state) hindered() bool { return st.obstacle != "" || st.outdated != "" || st.rejection != "" }

// lookAgain asks for another pass after a while at the latest.
func (st *state) lookAgain(after time.Duration) {
	if st.requeueAfter == 0 || after < st.requeueAfter {
		st.requeueAfter = after
	}
}

// gateName returns the gate that the application deals with: of its grant, else of the plan of this pass, else Embedded.
func (st *state) gateName() string {
	switch {
	case st.app.Status.Grant != nil:
		return string(st.app.Status.Grant.Gate)
	case st.plan != nil:
		return st.plan.Gate
	}
	return string(v1alpha1.GateEmbedded)
}

func keyOf(app *v1alpha1.SparkApplication) queueing.Key {
	return queueing.Key{Namespace: app.Namespace, Name: app.Name, UID: string(app.UID)}
}

// retryLaterError is a fact that cannot be known before a while.
type retryLaterError struct {
	after time.Duration
	why   string
}

func (n *retryLaterError) Error() string { return n.why }
