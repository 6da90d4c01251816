// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import "github.com/sparkgate/sparkgate/api/v1alpha1"

// readiness is the column of the table that determines Ready, Reconciling and Stalled together, so that no row can
// break rules 1 to 4 of the package.
type readiness int

const (
	unpublished readiness = iota // no condition at all
	inFlight                     // Ready=Unknown, Reconciling=True/Progressing
	retrying                     // Ready=False, Reconciling=True/ProgressingWithRetry
	paused                       // Ready=False alone: a user holds it
	stalled                      // Ready=False, Stalled=True with the same reason
	succeeded                    // Ready=True alone
)

// flag is the value of a condition in a row of the table.
type flag int

const (
	absent          flag = iota // not shown
	no                          // False
	yes                         // True
	unchanged                   // what the view says, else as before
	whileDriverRuns             // True while the driver's container runs, else False
)

// row is one row of the table.
type row struct {
	readiness readiness
	admitted  flag
	// reason is the reason of Admitted if the view gives none.
	reason   string
	running  flag
	finished flag
	// message is the message of Ready if the view gives none.
	message string
}

// table defines the conditions of applications by stage. Some rows also depend on the view (see View.readiness):
// Running is Ready under readyWhen: Running, and a stage that waits for a reference, or for a queue that admits its
// namespace, is stalled after a timeout.
var table = map[Stage]row{
	New: {readiness: unpublished},

	Queued:            {inFlight, no, v1alpha1.WaitingForGateReason, absent, no, "waits for quota in its queue"},
	ReferenceNotFound: {retrying, absent, "", absent, no, "something that the spec names does not exist yet"},
	Preempted:         {inFlight, no, v1alpha1.PreemptedReason, no, no, "was preempted and waits for quota again"},
	AttemptFailed:     {retrying, no, v1alpha1.WaitingForGateReason, no, no, "the attempt failed; the next one follows after a pause"},

	Submitting: {inFlight, yes, v1alpha1.AdmittedReason, no, no, "has quota in its queue; the driver is being created"},
	Starting:   {inFlight, yes, v1alpha1.AdmittedReason, no, no, "the driver pod exists and does not run yet"},
	Running:    {inFlight, yes, v1alpha1.AdmittedReason, yes, no, "the driver runs"},
	Finalizing: {inFlight, yes, v1alpha1.AdmittedReason, whileDriverRuns, no, "the driver has ended or is being stopped; its pods are deleted and its quota is released"},

	Suspended: {paused, no, v1alpha1.SuspendedReason, unchanged, no, "held by spec.suspend"},
	Idle:      {paused, no, v1alpha1.SuspendedReason, unchanged, no, "stopped by timeouts.idle"},

	InvalidSpec:     {stalled, absent, "", absent, no, "the spec is invalid"},
	NotYetSupported: {stalled, absent, "", absent, no, "the spec uses a field that this version does not support yet"},
	ExceedsQuota:    {stalled, no, v1alpha1.ExceedsQuotaReason, absent, no, "requests more than the queue could ever hold"},

	Deactivated:    {stalled, no, v1alpha1.QueueHeldReason, absent, no, "the request was deactivated in its queue"},
	FlavorMismatch: {stalled, no, v1alpha1.FlavorMismatchReason, absent, no, "the assigned flavor conflicts with the pods' node selector"},

	Succeeded: {succeeded, yes, v1alpha1.AdmittedReason, no, yes, "the driver ended with exit code 0"},

	Failed:                {stalled, unchanged, "", no, yes, "the run failed"},
	RetriesExceeded:       {stalled, unchanged, "", no, yes, "all attempts of the run failed"},
	DeadlineExceeded:      {stalled, unchanged, "", no, yes, "the attempt ran longer than timeouts.run"},
	TotalDeadlineExceeded: {stalled, unchanged, "", no, yes, "the run took longer than timeouts.total"},
	AdmissionTimeout:      {stalled, unchanged, "", no, yes, "waited for quota longer than timeouts.admission"},
	DriverStartTimeout:    {stalled, unchanged, "", no, yes, "the driver did not run within timeouts.driverStart"},
	ExecutorStartTimeout:  {stalled, unchanged, "", no, yes, "the first executors were not ready within timeouts.executorStart"},

	GateConflict: {stalled, unchanged, "", no, yes, "Kueue's pod integration manages the driver as a job of its own"},
}
