// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// Reasons of events about companions.
const (
	companionNotMade    = "CompanionNotMade"
	gatewayNotInstalled = "GatewayAPINotInstalled"
)

const (
	// The pause before what failed is tried again: it doubles from the first to the longest.
	companionPause        = time.Second
	longestCompanionPause = 5 * time.Minute
	// servicePause is the longest pause while the Service of the attempt is not there: it comes with the driver.
	servicePause = 10 * time.Second
)

// accompany brings the objects that accompany an attempt in line with the application. None of it can harm the run: what fails is told by
// an event, and tried again. Applications that use none of it cost nothing.
func (p *pass) accompany(ctx context.Context) {
	if err := p.memory.recall(ctx, p.Live, p.Clock.Now()); err != nil {
		ctrl.LoggerFrom(ctx).Info("what accompanies applications cannot be listed; what an earlier operator left stays for now", "error", err.Error())
	}
	c := p.memory.company(p.app, expose.Uses(&p.app.Spec))
	if c == nil {
		return
	}
	now, scene := p.Clock.Now(), sceneOf(p.app)
	switch {
	case c.done == scene:
		return
	case c.tried == scene && now.Before(c.notBefore):
		p.lookAgain(c.notBefore.Sub(now))
		return
	case c.tried != scene:
		c.tried, c.failures = scene, 0
	}
	problems := p.bring(ctx, c)
	p.tell(ctx, c, problems)
	if pause := c.pause(problems); pause > 0 {
		c.done, c.notBefore = sceneKey{}, now.Add(pause)
		p.lookAgain(pause)
		return
	}
	c.done = scene
	if address := p.memory.uiAddress(p.app); address != "" && p.app.Status.Times.DriverStarted != nil && scene.live && p.app.Status.Driver.UIAddress != address {
		p.lookAgain(time.Millisecond) // the next pass writes it
	}
}

// lookAgain asks for another pass after a while at the latest.
func (p *pass) lookAgain(after time.Duration) {
	if p.again == 0 || after < p.again {
		p.again = after
	}
}

// problem is why something that accompanies the attempt is not as wanted.
type problem struct {
	reason string
	text   string
	// final says that only a change of the spec helps.
	final bool
	// soon says that it will be well in a moment, so that nobody has to be told.
	soon bool
}

// bring makes, changes and deletes what accompanies the attempt.
func (p *pass) bring(ctx context.Context, c *company) []problem {
	in := expose.InputOf(p.app)
	problems := p.mistakes(in)
	if len(problems) > 0 && in.Live {
		return problems // what was made by the spec before stays
	}
	in.Started = in.Started && len(problems) == 0
	if in.Live && (expose.UsesUI(&p.app.Spec) || c.exposes()) {
		found, err := p.lookAtUI(ctx, c, &in)
		if err != nil {
			return append(problems, problem{reason: companionNotMade, text: fmt.Sprintf("read the Service of the attempt: %s", err)})
		}
		problems = append(append(problems, found...), p.withhold(ctx, c, &in)...)
	}
	before := c.kinds()
	wanted, err := expose.Build(in)
	if err != nil {
		return append(problems, problem{reason: companionNotMade, text: err.Error(), final: true})
	}
	keep := map[made]bool{}
	for _, object := range wanted {
		name := made{object.GroupVersionKind(), object.GetName()}
		keep[name] = true
		if err := p.bringOne(ctx, c, name, object); err != nil {
			problems = append(problems, problemOf(object, err))
		}
	}
	problems = append(problems, c.exposedAnew(before, p.Clock.Now())...)
	problems = append(problems, p.dismissOthers(ctx, c, keep)...)
	c.addressOf, c.address = attempt{in.Run, in.Attempt}, expose.Address(in, c.kinds())
	return problems
}

// mistakes are those of the spec that were made since the attempt was planned.
func (p *pass) mistakes(in expose.Input) []problem {
	if !in.Live && !in.Started {
		return nil
	}
	var problems []problem
	for _, f := range validate.Companions(p.app) {
		problems = append(problems, problem{reason: v1alpha1.InvalidSpecReason, text: f.String(), final: true})
	}
	return problems
}

// dismissOthers deletes what is wanted no more.
func (p *pass) dismissOthers(ctx context.Context, c *company, keep map[made]bool) []problem {
	var problems []problem
	for name := range c.objects {
		if keep[name] {
			continue
		}
		if err := p.dismiss(ctx, name); err != nil {
			problems = append(problems, problem{reason: companionNotMade, text: err.Error()})
			continue
		}
		delete(c.objects, name)
	}
	return problems
}

// lookAtUI reads the Service of the attempt: which port leads to the web interface, and whether it has what spec.ui.serviceMetadata adds.
func (p *pass) lookAtUI(ctx context.Context, c *company, in *expose.Input) ([]problem, error) {
	service, name := &corev1.Service{}, render.NamesOf(in.App, in.Run, in.Attempt).Service
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.app.Namespace, Name: name}, service)
	switch {
	case apierrors.IsNotFound(err), err == nil && (!ownedBy(service, p.app) || !service.DeletionTimestamp.IsZero()):
		return []problem{{soon: true}}, nil // it comes with the driver, and goes with it
	case err != nil:
		return nil, err
	}
	problems := p.patchUIService(ctx, c, service)
	for _, r := range p.Exposure.JudgeService(p.app) {
		problems = append(problems, problem{reason: companionNotMade, text: r.String(), final: true})
	}
	if d := p.app.Status.Driver; d == nil || d.UIAddress == "" {
		for _, way := range conf.Exposures(p.app) {
			problems = append(problems, problem{reason: companionNotMade, final: true,
				text: way.Field + ": it is not created, because " + conf.UIEnabled + " switches the web interface off: remove one of the two"})
		}
		return problems, nil
	}
	in.UIPort, in.RouteTLS = render.UIPortOf(service), p.encrypts(ctx)
	return problems, nil
}

// encrypts says that the first Gateway of the route serves it encrypted, as far as it can be read: only the address hangs on it.
func (p *pass) encrypts(ctx context.Context) bool {
	ui := p.app.Spec.UI
	if ui == nil || ui.Ingress != nil || ui.Route == nil || ui.Route.Hostname == "" || len(ui.Route.ParentRefs) == 0 {
		return false
	}
	parent, gateway := ui.Route.ParentRefs[0], &unstructured.Unstructured{}
	gateway.SetGroupVersionKind(expose.GatewayKind)
	key := types.NamespacedName{Namespace: cmp.Or(parent.Namespace, p.app.Namespace), Name: parent.Name}
	if err := p.Live.Get(ctx, key, gateway); err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("the Gateway of spec.ui.route cannot be read; its address is shown without encryption", "gateway", key, "error", err.Error())
		return false
	}
	return expose.Encrypts(gateway, p.app, parent)
}

// historyAddress is where the history server will show an attempt; empty if there is none, or nothing that it could read.
func (p *pass) historyAddress(objects render.Objects) string {
	if logs, err := objects.Properties.Bool(conf.EventLogEnabled, false); err != nil || !logs {
		return ""
	}
	return strings.ReplaceAll(p.HistoryURL, v1alpha1.ApplicationIDToken, objects.Names.ApplicationID)
}

// patchUIService makes the Service of the attempt have what spec.ui.serviceMetadata says, which may have changed since it was made.
func (p *pass) patchUIService(ctx context.Context, c *company, service *corev1.Service) []problem {
	c.extras = len(render.UIServiceOf(p.app, p.Exposure.ServiceAnnotation).Annotations) > 0
	change := render.UIServicePatch(service, p.app, p.Exposure.ServiceAnnotation)
	if change == nil {
		return nil
	}
	change["uid"] = service.UID
	patch, err := mergePatch(map[string]any{"metadata": change})
	if err == nil {
		err = p.Client.Patch(ctx, service.DeepCopy(), patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return []problem{{soon: true}} // gone, or another one
	case err != nil:
		c.extras = true
		return []problem{{reason: companionNotMade, text: fmt.Sprintf("the Service of the attempt does not get what spec.ui.serviceMetadata says: %s", err)}}
	}
	return nil
}

// errForeign says that somebody else's object has the name of a companion.
var errForeign = errors.New("it already exists and belongs to another owner; delete it, or choose another name for the application")

// bringOne makes one companion, or changes it, unless it is known to be as wanted.
func (p *pass) bringOne(ctx context.Context, c *company, name made, object *unstructured.Unstructured) error {
	content := fingerprint(object)
	known, there := c.objects[name]
	if there && known == content {
		return nil
	}
	if !there {
		err := p.Client.Create(ctx, object.DeepCopy(), client.FieldOwner(v1alpha1.FieldOwner))
		if err == nil {
			c.objects[name] = content
		}
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	existing := name.metadata(p.app.Namespace)
	err := p.Live.Get(ctx, client.ObjectKeyFromObject(existing), existing)
	switch {
	case apierrors.IsNotFound(err):
		delete(c.objects, name) // somebody has deleted it
		return &notYet{companionPause, "it is gone"}
	case err != nil:
		return err
	case !ownedBy(existing, p.app):
		delete(c.objects, name)
		return errForeign
	case !existing.DeletionTimestamp.IsZero():
		return &notYet{companionPause, "it is being deleted"}
	}
	if err := p.apply(ctx, existing, object.DeepCopy()); err != nil {
		return err
	}
	c.objects[name] = content
	return nil
}

// apply makes an own object what it should be, fields that are wanted no more removed. What was created counts as applied from then on, so
// that the API server knows which fields are the operator's (Kubernetes, "Upgrading from client-side apply").
func (p *pass) apply(ctx context.Context, existing *metav1.PartialObjectMetadata, object *unstructured.Unstructured) error {
	takeOver, err := csaupgrade.UpgradeManagedFieldsPatch(existing, sets.New(v1alpha1.FieldOwner), v1alpha1.FieldOwner)
	if err != nil {
		return err
	}
	object.SetUID(existing.UID) // never another one of the same name
	if takeOver != nil {
		if err := p.Client.Patch(ctx, existing, client.RawPatch(types.JSONPatchType, takeOver)); err != nil {
			return err
		}
	}
	return p.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(v1alpha1.FieldOwner), client.ForceOwnership)
}

// dismiss deletes a companion, if it is there and the application's own.
func (p *pass) dismiss(ctx context.Context, name made) error {
	existing := name.metadata(p.app.Namespace)
	err := p.Live.Get(ctx, client.ObjectKeyFromObject(existing), existing)
	if err == nil && ownedBy(existing, p.app) && existing.DeletionTimestamp.IsZero() {
		uid := existing.UID
		err = p.Client.Delete(ctx, existing, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !apimeta.IsNoMatchError(err) {
		return fmt.Errorf("delete %s %s/%s: %w", name.kind.Kind, p.app.Namespace, name.name, err)
	}
	return nil
}

// problemOf says what an error about a companion means.
func problemOf(object *unstructured.Unstructured, err error) problem {
	what := fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
	var later *notYet
	switch {
	case errors.As(err, &later), apierrors.IsConflict(err):
		return problem{soon: true}
	case object.GroupVersionKind() == expose.RouteKind && (apimeta.IsNoMatchError(err) || isNoKind(err)):
		return problem{reason: gatewayNotInstalled, text: what + " of spec.ui.route cannot be created, because the cluster does not know the kind: " +
			"install the Gateway API (httproutes.gateway.networking.k8s.io, version v1)"}
	}
	return problem{reason: companionNotMade, text: "could not apply " + what + ": " + err.Error()}
}

// isNoKind says that the API server has no such resource. It says NotFound of the path, not of an object.
func isNoKind(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) && (status.Status().Details == nil || status.Status().Details.Name == "")
}

// tell announces problems once, until they are others.
func (p *pass) tell(ctx context.Context, c *company, problems []problem) {
	reason, texts := "", make([]string, 0, len(problems))
	for _, problem := range problems {
		if !problem.soon {
			reason, texts = problem.reason, append(texts, problem.text)
		}
	}
	slices.Sort(texts)
	text := redact.Visible(strings.Join(texts, "; "))
	if text != "" && text != c.told {
		ctrl.LoggerFrom(ctx).Info("could not apply the web objects of the attempt", "reason", reason, "message", text)
		p.Recorder.Eventf(p.app, nil, corev1.EventTypeWarning, reason, reason, "%s", text)
	}
	if text != "" || len(problems) == 0 {
		c.told = text
	}
}
