// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// Planner plans one start of an application: the objects to create, and the ask for its gate.
type Planner struct {
	Reader   *Reader
	Placer   *Placer
	Builder  *Builder
	DryRun   *DryRun
	Plans    *memory.Plans
	Rights   Rights // nil checks no service accounts
	Settings Settings
}

// Settings are how the operator is configured to plan.
type Settings struct {
	// HistoryURL is the URL of a job on a Spark history server; empty if there is none.
	HistoryURL     string
	MaxTermination time.Duration
	Clock          clock.Clock
}

// Result is a planned start.
type Result struct {
	// Plan has findings if the spec has mistakes or the application is too large.
	Plan *lifecycle.Plan
	// Ask is what the start asks of its gate; nil if the plan has findings or something is missing.
	Ask *queueing.Ask
	// ReusesChecks is true if the plan relies on what an earlier pass has read and checked.
	ReusesChecks bool
	// Requeue is when to plan again because something may have changed by then, as in ctrl.Result.
	Requeue time.Duration
	at      placement
}

// draft is a result in the making.
type draft struct {
	Result
	app   *v1alpha1.SparkApplication
	start lifecycle.Start
	// fresh is true if nothing may be reused that an earlier pass has read.
	fresh bool
	// ready is what an earlier pass or this one has prepared; nil if nothing is.
	ready *memory.Prepared
}

func (g *draft) attempt() lifecycle.AttemptID {
	return lifecycle.AttemptID{Run: g.start.Run, Attempt: g.start.Attempt}
}

func (g *draft) order() order {
	return order{app: g.app, start: g.attempt(), queue: g.Plan.Queue, target: g.at.target, template: g.Plan.Hash}
}

// Plan plans one start of an application.
func (pn *Planner) Plan(ctx context.Context, app *v1alpha1.SparkApplication, start lifecycle.Start) (Result, error) {
	return pn.plan(ctx, &draft{app: app, start: start})
}

// PlanGranted plans a start once more, reading everything again, because its gate has granted a plan that relies on the
// checks of an earlier pass.
func (pn *Planner) PlanGranted(ctx context.Context, app *v1alpha1.SparkApplication, start lifecycle.Start) (Result, error) {
	pn.Reader.inTurn = true
	return pn.plan(ctx, &draft{app: app, start: start, fresh: true})
}

func (pn *Planner) plan(ctx context.Context, g *draft) (Result, error) {
	var err error
	switch found := validate.Stub(g.app); {
	case len(found) > 0:
		g.Plan = &lifecycle.Plan{Findings: found}
	case g.app.Status.Grant == nil:
		err = pn.planComplete(ctx, g)
	default:
		err = pn.planNext(ctx, g)
	}
	return g.Result, err
}

// planNext plans the start that follows the current attempt. Failing to plan it must not delay decisions on the current
// attempt, which may have to release its quota. So the next start is held back in that case, and planned again later.
func (pn *Planner) planNext(ctx context.Context, g *draft) (err error) {
	now := pn.Settings.Clock.Now()
	last, lately := pn.Plans.HeldBack(g.app.Generation, g.attempt(), now)
	if g.Plan = last; lately {
		return nil
	}
	switch inTurn := pn.Reader.Lookups.budget.Turn(g.app.Namespace, 1) == 0; {
	case inTurn:
		err = pn.planComplete(ctx, g)
	case last == nil:
		g.Plan = &lifecycle.Plan{Missing: []string{"the namespace has used up its budget of reads for now"}}
	}
	switch {
	case err != nil && ctx.Err() != nil: // the process is shutting down
		return err
	case err != nil:
		ctrl.LoggerFrom(ctx).Error(err, "Failed to plan the next run; the current one continues, and the operator tries again")
		g.Plan = &lifecycle.Plan{Missing: []string{"the operator could not read what it refers to, and tries again"}}
	}
	if len(g.Plan.Findings)+len(g.Plan.Missing) > 0 {
		pn.Plans.HoldBack(g.app.Generation, g.attempt(), now, g.Plan)
	}
	return nil
}

// planComplete plans a start of an application that the cache holds completely, not as a stub.
func (pn *Planner) planComplete(ctx context.Context, g *draft) error {
	namespace, err := pn.Reader.Namespace(ctx, g.app)
	if err != nil {
		return err
	}
	g.at, g.Plan = pn.Placer.choose(g.app, namespacepolicy.Of(namespace))
	g.at.target.Settings = fmt.Sprint(inputs.SettingsOf(namespace))
	if len(g.Plan.Findings) > 0 {
		return nil
	}
	g.ready = pn.Plans.Prepared(g.app.Generation, g.attempt())
	if err = pn.checkTemplate(ctx, g); err != nil || len(g.Plan.Findings) > 0 {
		return err
	}
	if g.ReusesChecks, err = pn.mayReuseChecks(ctx, g); err != nil {
		return err
	}
	priority, err := pn.references(ctx, g)
	if err != nil || len(g.Plan.Missing) > 0 {
		return err
	}
	if err = pn.prepareAllowed(ctx, g); err != nil || len(g.Plan.Findings)+len(g.Plan.Missing) > 0 {
		return err
	}
	ready, plan := g.ready, g.ready.Plan
	plan.Gate, plan.Queue, plan.Outside = g.Plan.Gate, g.Plan.Queue, g.Plan.Outside
	g.Plan = &plan
	g.Ask = &queueing.Ask{
		Key: podsets.KeyOf(g.app), Run: g.start.Run, Attempt: g.start.Attempt, Queue: plan.Queue, PodSets: plan.PodSets, Lead: v1alpha1.DriverPodSet,
		NamespaceLabels: namespace.Labels, Priority: priority, HoldsFor: lifecycle.HoldsFor(g.app, pn.Settings.MaxTermination),
		NeedsLimits: g.at.policy.NeedsLimits(plan.Queue), Inputs: plan.Inputs,
	}
	if ready.Gated {
		g.Ask.Elastic = v1alpha1.ExecutorPodSet
	}
	if ready.Templates != nil {
		g.Ask.Objects = GateObjects(g.app, g.attempt(), plan.Queue)
		g.Ask.Objects.Templates = ready.Templates
	}
	return nil
}

// Ask submits the ask of a planned start to its gate and returns the gate's verdict.
func (pn *Planner) Ask(ctx context.Context, app *v1alpha1.SparkApplication, planned Result, queuedAt time.Time) (*queueing.Verdict, error) {
	gate, gates := planned.Plan.Gate, pn.Placer.Gates
	if !gates.Known(gate) {
		return noSuchGate(gate, planned.at.placed.GateField), nil
	}
	ask := *planned.Ask
	ask.QueuedAt = queuedAt
	verdict, err := gates.Request(ctx, gate, ask)
	if err != nil {
		return nil, err
	}
	pn.Placer.explain(app, planned.at, &verdict, &ask)
	return &verdict, nil
}

// noSuchGate returns the verdict on an ask whose gate does not exist.
func noSuchGate(gate, field string) *queueing.Verdict {
	return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonGateNotInstalled,
		Message: fmt.Sprintf("%s: gate %q does not exist in this version of the operator; set Embedded, Kueue, Volcano, YuniKorn or None", field, gate)}
}

// checkTemplate sets the hash of the run template in a plan, and the findings about that template. There are none if a
// result is ready, because an earlier pass has found none. plan.Outside is set if a change of the sparkConfigMap may
// resolve them.
func (pn *Planner) checkTemplate(ctx context.Context, g *draft) (err error) {
	if g.ready != nil {
		g.Plan.Hash = g.ready.Plan.Hash
		return nil
	}
	if g.Plan.Hash, err = pn.Plans.TemplateHash(g.app); err != nil {
		return err
	}
	g.Plan.Findings, err = pn.Builder.check(ctx, g.order())
	g.Plan.Outside = validate.ConfigMapMayMend(g.app, g.Plan.Findings)
	return err
}

// GateObjects returns the metadata for the objects that a gate creates for an attempt.
func GateObjects(app *v1alpha1.SparkApplication, of lifecycle.AttemptID, queue string) queueing.Objects {
	objects := queueing.Objects{
		Name: render.NamesOf(app, of.Run, of.Attempt).Prefix, Owner: render.OwnerOf(app), Labels: render.LabelsOf(app, of.Run, of.Attempt, queue),
		UserLabels: app.Labels, UserAnnotations: app.Annotations,
	}
	if q := app.Spec.Queue; q != nil {
		objects.PriorityClass = q.PriorityClassName
		objects.StartEarly = q.Volcano != nil && q.Volcano.WaitForInqueue != nil && !*q.Volcano.WaitForInqueue
	}
	return objects
}

// prepareAllowed prepares a start, and checks what may change at any time: what administrators allow, and which of the
// objects that pods refer to exist. It puts what is wrong or missing into the plan.
func (pn *Planner) prepareAllowed(ctx context.Context, g *draft) (err error) {
	if err = pn.prepare(ctx, g); err != nil || len(g.Plan.Findings)+len(g.Plan.Missing) > 0 {
		return err
	}
	if g.Plan.Findings, err = pn.Placer.forbidden(ctx, g); err != nil || len(g.Plan.Findings) > 0 {
		return err
	}
	if g.Plan.Missing, err = pn.missingOfPods(ctx, g); err != nil || len(g.Plan.Missing) > 0 {
		return err
	}
	g.Plan.Findings, err = pn.DryRun.stillRejected(ctx, g)
	return err
}

// prepare renders a start to learn its names, its executors and its ask, unless the result of an earlier pass is still
// valid. It puts what is wrong or missing into the plan.
func (pn *Planner) prepare(ctx context.Context, g *draft) error {
	environment, version, err := pn.Reader.environment(ctx, g.app)
	// The content of a ConfigMap may change at any time, so it is always read again.
	if err != nil || g.ready.ValidFor(version, g.at.target) && (g.ReusesChecks || g.app.Spec.SparkConfigMap == "") {
		return err
	}
	ready := &memory.Prepared{
		CheckedAt: pn.Settings.Clock.Now(), Generation: g.app.Generation, Attempt: g.attempt(),
		Environment: version, Target: g.at.target,
	}
	b, err := pn.build(ctx, g)
	if err != nil || len(g.Plan.Findings)+len(g.Plan.Missing) > 0 {
		return err
	}
	ready.Plan = lifecycle.Plan{
		Hash: g.Plan.Hash, Inputs: b.inputs, DriverPod: b.objects.Names.DriverPod, ApplicationID: b.objects.Names.ApplicationID,
		UIAddress: b.objects.UIAddress, HistoryAddress: pn.historyAddress(b.objects),
	}
	if err := pn.measure(g, b.objects, environment, ready); err != nil {
		var outside *podsets.EnvironmentError
		g.Plan.Outside = errors.As(err, &outside)
		g.Plan.Findings = []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error()}}
		return nil
	}
	if g.Plan.Findings, err = pn.DryRun.refusedPods(ctx, g.app, b, g.ready); err != nil || len(g.Plan.Findings) > 0 {
		// A ConfigMap may be corrected, or a LimitRange that sets limits may change.
		g.Plan.Outside = g.app.Spec.SparkConfigMap != "" || len(environment.LimitRanges) > 0
		return err
	}
	ready.Accounts, ready.Classes, ready.References = accountsOf(b.objects), classesOf(b.objects), podrefs.Of(b.objects)
	if ready.Gated = b.objects.Gated; !b.objects.Workers {
		ready.Rights = rights.Needed(b.objects.Properties)
	}
	pn.Plans.Prepare(ready)
	g.ready = ready
	return nil
}

// build builds the objects of a start for the first time. It puts what is wrong or missing into the plan.
func (pn *Planner) build(ctx context.Context, g *draft) (built, error) {
	b, err := pn.Builder.build(ctx, g.order())
	if g.Plan.Missing = pn.deletedSince(g.app, err); len(g.Plan.Missing) > 0 {
		return b, nil
	}
	if g.Plan.Findings = b.found; err != nil || len(b.found) > 0 {
		g.Plan.Outside = true // the application alone was valid, so the mistake is in the ConfigMap or a Secret
		return b, err
	}
	if g.Plan.Findings = validate.Gate(g.app, v1alpha1.GateType(g.Plan.Gate), b.objects.Properties); len(g.Plan.Findings) > 0 {
		g.Plan.Outside = g.app.Spec.SparkConfigMap != ""
	}
	return b, nil
}

// measure computes the ask of a start. An error means a mistake in the spec.
func (pn *Planner) measure(g *draft, objects render.Objects, environment podsets.Environment, ready *memory.Prepared) (err error) {
	ready.Plan.PodSets, err = pn.Builder.podSets(g.app, objects, environment, g.Plan.Gate)
	if err == nil && pn.Placer.Gates.Capabilities(g.Plan.Gate).DescribesPods {
		ready.Templates, err = podsets.Templates(objects)
	}
	if err == nil {
		ready.Plan.Executors, err = podsets.Wanted(objects.Properties)
	}
	return err
}

// references puts into the plan which objects are missing that the driver needs, and returns the priority of the start.
func (pn *Planner) references(ctx context.Context, g *draft) (priority int32, err error) {
	if !g.ReusesChecks {
		if g.Plan.Missing, err = pn.Reader.missing(ctx, g.app); err != nil {
			return 0, err
		}
	}
	priority, noClass, err := pn.Placer.Priority(ctx, g.app, g.Plan.Gate)
	if noClass != "" {
		g.Plan.Missing = append(g.Plan.Missing, noClass)
	}
	return priority, err
}

// Waiting costs no reads. While an application waits in its queue, its passes rely on the references that were checked
// when it asked. Once its gate has granted the ask, and before the grant is used, all of them are read again; if one
// has changed, the grant is released.

// mayReuseChecks reports whether this pass may rely on what an earlier one found out about the start, without reading
// references. It may as long as the application waits in its queue. It may for presenceTTL only before the status says
// that it waits, and while the application cannot be admitted, because a reference may have been corrected.
func (pn *Planner) mayReuseChecks(ctx context.Context, g *draft) (bool, error) {
	if g.ready == nil || g.ready.Incomplete || g.fresh {
		return false, nil
	}
	stage, _ := status.StageOf(g.app.Status.Conditions)
	switch stage {
	case status.Queued, status.Preempted, status.Deactivated:
	case status.New, status.AttemptFailed, status.ExceedsQuota, status.FlavorMismatch:
		if !pn.Settings.Clock.Now().Before(g.ready.CheckedAt.Add(presenceTTL)) {
			return false, nil
		}
	default:
		return false, nil
	}
	_, version, err := pn.Reader.environment(ctx, g.app)
	return g.ready.ValidFor(version, g.at.target), err
}

// deletedSince names the references that were deleted between the check and the build of a start.
func (pn *Planner) deletedSince(app *v1alpha1.SparkApplication, err error) []string {
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		return []string{noConfigMap(app, string(gone), "spec.sparkConfigMap")}
	case err == nil && pn.Reader.once.secrets != nil:
		return pn.Reader.once.secrets.missing
	}
	return nil
}

// historyAddress returns the URL of an attempt on the history server, or the empty string if there is no history server
// or the attempt writes no event log.
func (pn *Planner) historyAddress(objects render.Objects) string {
	if logs, err := objects.Properties.Bool(conf.EventLogEnabled, false); err != nil || !logs {
		return ""
	}
	return strings.ReplaceAll(pn.Settings.HistoryURL, v1alpha1.ApplicationIDToken, objects.Names.ApplicationID)
}
