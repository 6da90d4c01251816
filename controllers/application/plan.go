// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// planner plans one start of the application: the objects to create, and the ask for its gate.
type planner struct {
	*state
	reader    *reader
	placement *placement
	builder   *objectBuilder
	// ask is the ask that belongs to the plan of the pass.
	ask *queueing.Ask
	// reusesChecks is true if the plan of this pass relies on what an earlier pass has read and checked.
	reusesChecks bool
}

// planStart plans one start of the application. The plan of an application that is too large has a finding that says
// so.
func (pn *planner) planStart(ctx context.Context, start lifecycle.Start) (*lifecycle.Plan, error) {
	if found := validate.Stub(pn.app); len(found) > 0 {
		return &lifecycle.Plan{Findings: found}, nil
	}
	if pn.app.Status.Grant == nil {
		return pn.planComplete(ctx, start)
	}
	return pn.planNext(ctx, start)
}

// planNext plans the start that follows the current attempt. Failing to plan it must not delay decisions on the current
// attempt, which may have to release its quota. So the next start is held back in that case, and planned again later.
func (pn *planner) planNext(ctx context.Context, start lifecycle.Start) (*lifecycle.Plan, error) {
	next, now := lifecycle.AttemptID{Run: start.Run, Attempt: start.Attempt}, pn.Clock.Now()
	last, lately := pn.record.Plans.HeldBack(pn.app.Generation, next, now)
	if lately {
		return last, nil
	}
	plan := last
	var err error
	switch inTurn := pn.lookups.budget.Turn(pn.app.Namespace, 1) == 0; {
	case inTurn:
		plan, err = pn.planComplete(ctx, start)
	case last == nil:
		plan = &lifecycle.Plan{Missing: []string{"the namespace has used up its budget of reads for now"}}
	}
	switch {
	case err != nil && ctx.Err() != nil: // the process is shutting down
		return nil, err
	case err != nil:
		ctrl.LoggerFrom(ctx).Error(err, "Failed to plan the next run; the current one continues, and the operator tries again")
		plan = &lifecycle.Plan{Missing: []string{"the operator could not read what it refers to, and tries again"}}
	}
	if len(plan.Findings)+len(plan.Missing) > 0 {
		pn.record.Plans.HoldBack(pn.app.Generation, next, now, plan)
	}
	return plan, nil
}

// planComplete plans a start of an application that the cache holds completely, not as a stub.
func (pn *planner) planComplete(ctx context.Context, start lifecycle.Start) (*lifecycle.Plan, error) {
	namespace, err := pn.reader.namespace(ctx)
	if err != nil {
		return nil, err
	}
	pn.placement.policy = namespacepolicy.Of(namespace)
	plan := pn.placement.choose(pn.placement.policy)
	pn.placement.target.Settings = fmt.Sprint(inputs.SettingsOf(namespace))
	if len(plan.Findings) > 0 {
		return plan, nil
	}
	ready := pn.record.Plans.Prepared(pn.app.Generation, lifecycle.AttemptID{Run: start.Run, Attempt: start.Attempt})
	if err = pn.checkTemplate(ctx, start, plan, ready); err != nil || len(plan.Findings) > 0 {
		return plan, err
	}
	if pn.reusesChecks, err = pn.mayReuseChecks(ctx, ready); err != nil {
		return nil, err
	}
	pn.builder.template = plan.Hash
	missing, priority, err := pn.references(ctx, plan.Gate)
	if err != nil {
		return nil, err
	}
	if plan.Missing = missing; len(missing) > 0 {
		return plan, nil
	}
	if ready, plan.Findings, err = pn.prepareAllowed(ctx, start, plan, ready); err != nil || ready == nil {
		return plan, err
	}
	plan.Executors, plan.Inputs, plan.PodSets = ready.Executors, ready.Inputs, ready.PodSets
	plan.DriverPod, plan.ApplicationID, plan.UIAddress = ready.Names.DriverPod, ready.Names.ApplicationID, ready.UIAddress
	plan.HistoryAddress = ready.HistoryAddress
	pn.ask = &queueing.Ask{
		Key: convert.KeyOf(pn.app), Run: start.Run, Attempt: start.Attempt, Queue: plan.Queue, PodSets: ready.PodSets,
		NamespaceLabels: namespace.Labels, Priority: priority, QueuedAt: start.QueuedAt, HoldsFor: lifecycle.HoldsFor(pn.app, pn.MaxTermination),
		SchedulingGated: ready.Gated, NeedsLimits: pn.placement.policy.NeedsLimits(plan.Queue), Inputs: ready.Inputs,
	}
	if ready.Templates != nil {
		pn.ask.Objects = gateObjects(pn.app, start, ready, plan.Queue)
	}
	return plan, nil
}

// checkTemplate sets the hash of the run template in a plan, and the findings about that template. There are none if
// ready is not nil, because an earlier pass has found none. plan.Outside is set if a change of the sparkConfigMap may
// resolve them.
func (pn *planner) checkTemplate(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *memory.Prepared) (err error) {
	if ready != nil {
		plan.Hash = ready.Hash
		return nil
	}
	if plan.Hash, err = pn.record.Plans.TemplateHash(pn.app); err != nil {
		return err
	}
	plan.Findings, err = pn.builder.check(ctx, start, plan.Queue)
	plan.Outside = validate.ConfigMapMayMend(pn.app, plan.Findings)
	return err
}

// gateObjects returns the metadata and pod templates for the objects that a gate creates for a start.
func gateObjects(app *v1alpha1.SparkApplication, start lifecycle.Start, ready *memory.Prepared, queue string) queueing.Objects {
	objects := queueing.Objects{
		Name: ready.Names.Prefix, Templates: ready.Templates, Owner: render.OwnerOf(app), Labels: render.LabelsOf(app, start.Run, start.Attempt, queue),
		UserLabels: app.Labels, UserAnnotations: app.Annotations,
	}
	if q := app.Spec.Queue; q != nil {
		objects.PriorityClass = q.PriorityClassName
		objects.StartEarly = q.Volcano != nil && q.Volcano.WaitForInqueue != nil && !*q.Volcano.WaitForInqueue
	}
	return objects
}

// prepareAllowed prepares a start, and checks what may change at any time: what administrators allow, and which of the
// objects that pods refer to exist. It returns nil if there are findings or something is missing.
func (pn *planner) prepareAllowed(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *memory.Prepared) (*memory.Prepared, []finding.Finding, error) {
	ready, found, err := pn.prepare(ctx, start, plan, ready)
	if err != nil || ready == nil {
		return nil, found, err
	}
	if found, err = pn.placement.forbidden(ctx, pn.placement.policy, plan, ready); err != nil || len(found) > 0 {
		return nil, found, err
	}
	if plan.Missing, err = pn.missingOfPods(ctx, ready); err != nil || len(plan.Missing) > 0 {
		return nil, nil, err
	}
	if found, err = pn.stillRejected(ctx, start, plan, ready); err != nil || len(found) > 0 {
		return nil, found, err
	}
	return ready, nil, nil
}

// prepare renders a start to learn its names, its executors and its ask, unless the result of an earlier pass, ready,
// is still valid. It returns nil if there are findings, or if a reference is missing, which it records in the plan.
func (pn *planner) prepare(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *memory.Prepared) (*memory.Prepared, []finding.Finding, error) {
	environment, version, err := pn.reader.environment(ctx)
	// The content of a ConfigMap may change at any time, so it is always read again.
	if err != nil || ready.ValidFor(version, pn.placement.target) && (pn.reusesChecks || pn.app.Spec.SparkConfigMap == "") {
		return ready, nil, err
	}
	before := ready
	ready = &memory.Prepared{
		CheckedAt: pn.Clock.Now(), Generation: pn.app.Generation, Attempt: lifecycle.AttemptID{Run: start.Run, Attempt: start.Attempt},
		Environment: version, Target: pn.placement.target, Hash: plan.Hash,
	}
	objects, found, err := pn.builder.build(ctx, start, plan.Queue, nil)
	if plan.Missing = pn.deletedSince(err); len(plan.Missing) > 0 {
		return nil, nil, nil
	}
	if err != nil || len(found) > 0 {
		plan.Outside = true // the application alone was valid, so the mistake is in the ConfigMap or a Secret
		return nil, found, err
	}
	if found := validate.Gate(pn.app, v1alpha1.GateType(plan.Gate), objects.Properties); len(found) > 0 {
		plan.Outside = pn.app.Spec.SparkConfigMap != ""
		return nil, found, nil
	}
	ready.Names, ready.UIAddress, ready.HistoryAddress = objects.Names, objects.UIAddress, pn.historyAddress(objects)
	ready.Accounts, ready.Classes, ready.Inputs = accountsOf(objects), classesOf(objects), pn.builder.inputs
	ready.Gated, ready.Rights = objects.Gated, rights.Needed(objects.Properties)
	ready.References = podrefs.Of(objects)
	if err := pn.measure(objects, environment, plan.Gate, ready); err != nil {
		var outside *podsets.EnvironmentError
		plan.Outside = errors.As(err, &outside)
		return nil, []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error()}}, nil
	}
	if found, err := pn.refusedPods(ctx, objects, before); err != nil || len(found) > 0 {
		plan.Outside = pn.mayBecomeValid(environment)
		return nil, found, err
	}
	pn.record.Plans.Prepare(ready)
	return ready, nil, nil
}

// measure computes the ask of a start. An error means a mistake in the spec.
func (pn *planner) measure(objects render.Objects, environment podsets.Environment, gate string, ready *memory.Prepared) (err error) {
	ready.PodSets, err = pn.builder.podSets(objects, environment, gate)
	if err == nil && pn.Gates.Capabilities(gate).DescribesPods {
		ready.Templates, err = podsets.Templates(objects)
	}
	if err == nil {
		ready.Executors, err = podsets.Wanted(objects.Properties)
	}
	return err
}

// references returns which objects are missing that the driver needs, and the priority of the start.
func (pn *planner) references(ctx context.Context, gate string) (missing []string, priority int32, err error) {
	if !pn.reusesChecks {
		if missing, err = pn.reader.missing(ctx); err != nil {
			return nil, 0, err
		}
	}
	priority, noClass, err := pn.placement.priority(ctx, gate)
	if noClass != "" {
		missing = append(missing, noClass)
	}
	return missing, priority, err
}

// Waiting costs no reads. While an application waits in its queue, its passes rely on the references that were checked
// when it asked. Once its gate has granted the ask, and before the grant is used, all of them are read again; if one
// has changed, the grant is released.

// mayReuseChecks reports whether this pass may rely on what an earlier one found out about the start, without reading
// references. It may as long as the application waits in its queue. It may for presenceTTL only before the status says
// that it waits, and while the application cannot be admitted, because a reference may have been corrected.
func (pn *planner) mayReuseChecks(ctx context.Context, ready *memory.Prepared) (bool, error) {
	if ready == nil || ready.Incomplete || pn.reader.afterGrant {
		return false, nil
	}
	stage, _ := status.StageOf(pn.app.Status.Conditions)
	switch stage {
	case status.Queued, status.Preempted, status.Deactivated:
	case status.New, status.AttemptFailed, status.ExceedsQuota, status.FlavorMismatch:
		if !pn.Clock.Now().Before(ready.CheckedAt.Add(presenceTTL)) {
			return false, nil
		}
	default:
		return false, nil
	}
	_, version, err := pn.reader.environment(ctx)
	return ready.ValidFor(version, pn.placement.target), err
}

// replanGranted plans once more, reading everything again, if the gate has granted a plan that relies on the checks of
// an earlier pass.
func (pn *planner) replanGranted(ctx context.Context, start lifecycle.Start) (err error) {
	if !pn.reusesChecks || pn.observed.Verdict.State != queueing.Granted {
		return nil
	}
	pn.reader.afterGrant = true
	pn.plan, err = pn.planStart(ctx, start)
	pn.observed.Plan = pn.plan
	return err
}

// deletedSince names the references that were deleted between the check and the build of a start.
func (pn *planner) deletedSince(err error) []string {
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		return []string{pn.reader.noConfigMap(string(gone), "spec.sparkConfigMap")}
	case err == nil && pn.reader.secrets != nil:
		return pn.reader.secrets.missing
	}
	return nil
}

// historyAddress returns the URL of an attempt on the history server, or the empty string if there is no history server
// or the attempt writes no event log.
func (pn *planner) historyAddress(objects render.Objects) string {
	if logs, err := objects.Properties.Bool(conf.EventLogEnabled, false); err != nil || !logs {
		return ""
	}
	return strings.ReplaceAll(pn.HistoryURL, v1alpha1.ApplicationIDToken, objects.Names.ApplicationID)
}
