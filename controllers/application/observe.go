// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// maxSteps bounds how often a decision may ask for more; it needs each thing at most once, and twice when a run follows another.
const maxSteps = 12

// observe collects what a decision always needs.
func (r *Reconciler) observe(app *v1alpha1.SparkApplication) lifecycle.Observation {
	o := lifecycle.Observation{
		Now:              r.Clock.Now(),
		App:              app,
		SameTemplate:     r.sameTemplate(app),
		Pods:             r.podsOf(app),
		LastWrite:        r.expectations.lastWrite(app),
		ReferenceTimeout: r.ReferenceTimeout,
		MaxTermination:   r.MaxTermination,
		ExecutorInterval: r.ExecutorInterval,
		Eviction:         r.eviction(app),
		ExecutorFailures: r.Pods.Failures(client.ObjectKeyFromObject(app), string(app.UID), app.Status.Run, app.Status.Attempt),
		UIAddress:        r.companions.Address(app),
		Ungating:         r.expectations.ungatesInFlight(app, r.Clock.Now()),
	}
	current := attempt{app.Status.Run, app.Status.Attempt}
	o.CreatedDriver = r.expectations.createdDriver(app, current)
	for _, record := range o.Pods {
		if record.Role == pods.Driver && record.Ended != nil && current == (attempt{record.Run, record.Attempt}) {
			o.DriverEndedSince = r.expectations.endSince(app, current, o.Now)
		}
	}
	o.ReadyDroppedSince = r.expectations.fewerSince(app, fewerReady(app, o.Pods), o.Now)
	return o
}

// sameTemplate reports whether the run template is that of the current run.
func (r *Reconciler) sameTemplate(app *v1alpha1.SparkApplication) bool {
	if app.Stub != nil {
		return app.Stub.SameTemplate
	}
	return r.expectations.sameTemplate(app)
}

// fewerReady reports whether fewer executors of the current attempt are ready than the status says.
func fewerReady(app *v1alpha1.SparkApplication, records []*pods.Record) bool {
	told := app.Status.Executors
	if told == nil || told.Ready == 0 {
		return false
	}
	var ready int32
	for _, r := range records {
		if r.Run == app.Status.Run && r.Attempt == app.Status.Attempt && r.CountsAsReady() {
			ready++
		}
	}
	return ready < told.Ready
}

// updateHolder reports the state of the holder of a grant to its gate.
func (p *pass) updateHolder(ctx context.Context) error {
	grant := p.app.Status.Grant
	if grant == nil {
		return nil
	}
	if !p.Gates.Observes(string(grant.Gate)) {
		return nil
	}
	var refs references
	if err := p.priority(ctx, &refs, string(grant.Gate)); err != nil {
		return err
	}
	allowed, err := p.allowedClass(ctx, grant)
	if err != nil {
		return err
	}
	refs.priority = p.expectations.priority(p.app, refs.priority, allowed && len(refs.missing) == 0)
	s := &p.app.Status
	stage, _ := status.StageOf(s.Conditions)
	standing := queueing.HolderState{
		Priority:    refs.priority,
		Terminating: !p.app.DeletionTimestamp.IsZero() || s.Stopping != "" || stage == status.Finalizing,
		ReleasedBy:  lifecycle.Until(p.app, p.MaxTermination),
	}
	if s.Times.Queued != nil {
		standing.QueuedAt = s.Times.Queued.Time
	} else if s.Times.Admitted != nil {
		standing.QueuedAt = s.Times.Admitted.Time
	}
	p.Gates.UpdateHolder(keyOf(p.app), grantRef(grant), standing)
	return nil
}

// eviction returns why the gate that gave the grant wants it back; nil if it does not, and while no grant is held.
func (r *Reconciler) eviction(app *v1alpha1.SparkApplication) *queueing.Eviction {
	grant := app.Status.Grant
	if grant == nil {
		return nil
	}
	return r.Gates.Eviction(keyOf(app), grantRef(grant))
}

// grantRef returns a grant without what it is made of: enough to name it to its gate.
func grantRef(grant *v1alpha1.Grant) queueing.Grant {
	return queueing.Grant{Gate: string(grant.Gate), Run: grant.Run, Attempt: grant.Attempt}
}

func (r *Reconciler) podsOf(app *v1alpha1.SparkApplication) []*pods.Record {
	var own []*pods.Record
	for _, record := range r.Pods.Of(client.ObjectKeyFromObject(app)) {
		if record.AppUID == string(app.UID) {
			own = append(own, record)
		}
	}
	return own
}

// decide asks for a decision and observes what it needs, until it is complete.
func (p *pass) decide(ctx context.Context) (lifecycle.Decision, error) {
	for range maxSteps {
		d := lifecycle.Decide(p.o)
		p.logDecision(ctx, d)
		if d.Need == lifecycle.NeedNothing {
			return d, nil
		}
		if err := p.fulfil(ctx, d); err != nil {
			return d, err
		}
	}
	return lifecycle.Decision{}, fmt.Errorf("decide on %s/%s: a need could not be met", p.app.Namespace, p.app.Name)
}

func (p *pass) fulfil(ctx context.Context, d lifecycle.Decision) (err error) {
	switch d.Need {
	case lifecycle.NeedNothing:
	case lifecycle.NeedPlan:
		p.plan, err = p.planned(ctx, d.Start)
		p.o.Plan = p.plan
	case lifecycle.NeedVerdict:
		p.ask.QueuedAt = d.Start.QueuedAt
		if p.o.Verdict, err = p.verdict(ctx); err == nil {
			err = p.takeTurn(ctx, d.Start)
		}
	case lifecycle.NeedDriverAbsent:
		p.o.DriverAbsent, err = p.driverAbsent(ctx)
	case lifecycle.NeedAllocation:
		p.o.Allocation = p.resize(ctx, d.Want)
	case lifecycle.NeedLogTail:
		p.o.LogTail = p.logTail(ctx)
	case lifecycle.NeedNodes:
		p.o.UnreachableNodes, err = p.unreachableNodes(ctx, p.o.Pods)
	}
	return err
}

// verdict puts the ask of the plan before its gate.
func (p *pass) verdict(ctx context.Context) (*queueing.Verdict, error) {
	if !p.Gates.Known(p.plan.Gate) {
		return noSuchGate(p.plan.Gate, p.gateField), nil
	}
	verdict, err := p.Gates.Request(ctx, p.plan.Gate, *p.ask)
	if err != nil {
		return nil, err
	}
	return &verdict, nil
}

// driverAbsent reads live whether the driver pod of the attempt exists. The answer is no only when no create is on its way; once the uid
// is recorded, the create has been answered by the pod itself.
func (p *pass) driverAbsent(ctx context.Context) (bool, error) {
	if until := p.expectations.unsettledUntil(p.app); p.app.Status.Driver.UID == "" && p.Clock.Now().Before(until) {
		return false, &retryLaterError{until.Sub(p.Clock.Now()), "a create of the driver pod was not answered"}
	}
	pod := &metav1.PartialObjectMetadata{}
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.app.Namespace, Name: p.app.Status.Driver.PodName}, pod)
	switch {
	case apierrors.IsNotFound(err):
		return p.watchIsCaughtUp(ctx)
	case err != nil:
		return false, fmt.Errorf("read driver pod: %w", err)
	case !ownedBy(pod, p.app), !ofAttempt(pod, p.app.Status.Run, p.app.Status.Attempt):
		return p.watchIsCaughtUp(ctx) // somebody else's, or an earlier attempt's: ours was never made, or is gone
	}
	return false, &retryLaterError{time.Second, "the driver pod exists but the watch has not shown it"}
}

// watchIsCaughtUp reads live whether the application has active pods that the watch has not shown.
func (p *pass) watchIsCaughtUp(ctx context.Context) (bool, error) {
	list := &corev1.PodList{}
	err := p.Live.List(ctx, list, client.InNamespace(p.app.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(p.app.UID)})
	if err != nil {
		return false, fmt.Errorf("list pods: %w", err)
	}
	for i := range list.Items {
		record := pods.RecordOf(&list.Items[i])
		seen := slices.ContainsFunc(p.o.Pods, func(known *pods.Record) bool { return known.UID == record.UID })
		if record.Active() && !seen {
			return false, &retryLaterError{time.Second, "pod " + record.Name + " exists but the watch has not shown it"}
		}
	}
	return true, nil
}

// unreachableNodes reads which nodes of active pods do not answer. A node that does not exist any more cannot run anything.
func (r *Reconciler) unreachableNodes(ctx context.Context, of []*pods.Record) (map[string]bool, error) {
	lost := map[string]bool{}
	for _, record := range of {
		if _, known := lost[record.Node]; known || record.Node == "" || !record.Active() {
			continue
		}
		node := &corev1.Node{}
		err := r.Live.Get(ctx, types.NamespacedName{Name: record.Node}, node)
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read node of pod %s: %w", record.Name, err)
		}
		lost[record.Node] = err == nil && !pods.NodeReachable(node)
	}
	return lost, nil
}

func ownedBy(obj metav1.Object, app *v1alpha1.SparkApplication) bool {
	owner := metav1.GetControllerOfNoCopy(obj)
	return owner != nil && owner.UID == app.UID
}

// ofAttempt reports whether an object was made for an attempt of its application.
func ofAttempt(obj metav1.Object, run, attempt int64) bool {
	labels := obj.GetLabels()
	return labels[v1alpha1.RunLabel] == strconv.FormatInt(run, 10) && labels[v1alpha1.AttemptLabel] == strconv.FormatInt(attempt, 10)
}

// retryLaterError is a fact that cannot be known before a while.
type retryLaterError struct {
	after time.Duration
	why   string
}

func (n *retryLaterError) Error() string { return n.why }
