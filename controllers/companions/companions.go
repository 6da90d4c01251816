// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/internal/status"
)

// gatewayNotInstalled is the reason of events about routes that the cluster does not know.
const gatewayNotInstalled = "GatewayAPINotInstalled"

// reconciliation is one pass over the companions of one application.
type reconciliation struct {
	*Reconciler
	app   *v1alpha1.SparkApplication
	state *state
}

// problem is why something that accompanies the attempt is not as wanted.
type problem struct {
	reason string
	text   string
	// final reports that only a change of the spec helps.
	final bool
	// soon reports that it resolves itself in a moment, so that no event is needed.
	soon bool
	// atLeast is the least pause before the next attempt.
	atLeast time.Duration
}

// reconcile creates, changes and deletes the companions of the attempt.
func (r *reconciliation) reconcile(ctx context.Context) []problem {
	in := expose.InputOf(r.app)
	problems := r.validateSpec(in)
	if len(problems) > 0 && in.Live {
		return problems // what was created by the spec before stays
	}
	in.Started = in.Started && len(problems) == 0
	if in.Live && (expose.UsesUI(&r.app.Spec) || r.state.exposes()) {
		found, err := r.readUIService(ctx, &in)
		if err != nil {
			return append(problems, problem{reason: expose.CreateFailedReason, text: fmt.Sprintf("read the Service of the attempt: %s", err)})
		}
		problems = append(append(problems, found...), r.judgeExposure(ctx, &in)...)
	}
	before := r.state.kinds()
	wanted, err := expose.Build(in)
	if err != nil {
		return append(problems, problem{reason: expose.CreateFailedReason, text: err.Error(), final: true})
	}
	keep := map[livemeta.Key]bool{}
	for _, object := range wanted {
		name := livemeta.Key{Kind: object.GroupVersionKind(), Name: object.GetName()}
		keep[name] = true
		if err := r.applyOne(ctx, name, object); err != nil {
			problems = append(problems, problemOf(object, err))
		}
	}
	problems = append(problems, r.state.exposedAnew(before, r.Clock.Now())...)
	problems = append(problems, r.deleteUnwanted(ctx, keep)...)
	r.setAddress(in)
	return problems
}

// validateSpec returns what has become wrong in the spec since the attempt was planned.
func (r *reconciliation) validateSpec(in expose.Input) []problem {
	if !in.Live && !in.Started {
		return nil
	}
	var problems []problem
	for _, f := range validate.Companions(r.app) {
		problems = append(problems, problem{reason: v1alpha1.InvalidSpecReason, text: f.String(), final: true})
	}
	return problems
}

// deleteUnwanted deletes the companions that are no longer wanted.
func (r *reconciliation) deleteUnwanted(ctx context.Context, keep map[livemeta.Key]bool) []problem {
	var problems []problem
	for name := range r.state.objects {
		if keep[name] {
			continue
		}
		if err := r.deleteOne(ctx, name); err != nil {
			problems = append(problems, problem{reason: expose.CreateFailedReason, text: err.Error()})
			continue
		}
		delete(r.state.objects, name)
	}
	return problems
}

// readUIService reads the Service of the attempt: which port leads to the web interface, and whether it has what
// spec.ui.serviceMetadata adds.
func (r *reconciliation) readUIService(ctx context.Context, in *expose.Input) ([]problem, error) {
	service, name := &corev1.Service{}, render.NamesOf(in.App, in.Run, in.Attempt).Service
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: r.app.Namespace, Name: name}, service)
	switch {
	case apierrors.IsNotFound(err), err == nil && (!metav1.IsControlledBy(service, r.app) || !service.DeletionTimestamp.IsZero()):
		return []problem{{soon: true}}, nil // it comes with the driver, and goes with it
	case err != nil:
		return nil, err
	}
	problems := r.patchUIService(ctx, service)
	for _, refusal := range r.Exposure.JudgeService(r.app) {
		problems = append(problems, problem{reason: expose.CreateFailedReason, text: refusal.String(), final: true})
	}
	if d := r.app.Status.Driver; d == nil || d.UIAddress == "" {
		for _, way := range conf.Exposures(r.app) {
			problems = append(problems, problem{reason: expose.CreateFailedReason, final: true,
				text: way.Field + ": nothing is created, because " + conf.UIEnabled + " switches the web interface off: remove one of the two"})
		}
		return problems, nil
	}
	in.UIPort, in.RouteTLS = render.UIPortOf(service), r.gatewayEncrypts(ctx)
	return problems, nil
}

// gatewayEncrypts reports whether the first Gateway of the route serves it encrypted, as far as it can be read: only
// the address depends on it.
func (r *reconciliation) gatewayEncrypts(ctx context.Context) bool {
	ui := r.app.Spec.UI
	if ui == nil || ui.Ingress != nil || ui.Route == nil || ui.Route.Hostname == "" || len(ui.Route.ParentRefs) == 0 {
		return false
	}
	parent := ui.Route.ParentRefs[0]
	gateway := r.readGateway(ctx, types.NamespacedName{Namespace: cmp.Or(parent.Namespace, r.app.Namespace), Name: parent.Name})
	return gateway != nil && expose.Encrypts(gateway, r.app, parent)
}

// patchUIService makes the Service of the attempt have what spec.ui.serviceMetadata says, which may have changed since
// it was created.
func (r *reconciliation) patchUIService(ctx context.Context, service *corev1.Service) []problem {
	r.state.extras = len(render.UIServiceOf(r.app, r.Exposure.ServiceAnnotation).Annotations) > 0
	change := render.UIServicePatch(service, r.app, r.Exposure.ServiceAnnotation)
	if change == nil {
		return nil
	}
	change["uid"] = service.UID
	patch, err := json.Marshal(map[string]any{"metadata": change})
	if err == nil {
		err = r.Client.Patch(ctx, service.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	}
	switch {
	case apianswer.IsGoneOrChanged(err):
		return []problem{{soon: true}} // gone, or another one
	case err != nil:
		r.state.extras = true
		return []problem{{reason: expose.CreateFailedReason, text: fmt.Sprintf("spec.ui.serviceMetadata is not applied to the Service of the attempt: %s", err)}}
	}
	return nil
}

// errOtherOwner is of an object that has the name of a companion and another owner.
var errOtherOwner = errors.New("it already exists and belongs to another owner; delete it, or choose another name for the application")

// retryLater says that a companion cannot be applied before something else has happened, which happens soon.
type retryLater string

func (r retryLater) Error() string { return string(r) }

// applyOne creates one companion, or changes it, unless it is known to be as wanted.
func (r *reconciliation) applyOne(ctx context.Context, name livemeta.Key, object *unstructured.Unstructured) error {
	content := fingerprint(object)
	known, there := r.state.objects[name]
	if there && known == content {
		return nil
	}
	if !there {
		err := r.Client.Create(ctx, object.DeepCopy(), client.FieldOwner(v1alpha1.FieldOwner))
		if err == nil {
			r.state.objects[name] = content
		}
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	existing := name.Metadata(r.app.Namespace)
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(existing), existing)
	switch {
	case apierrors.IsNotFound(err):
		delete(r.state.objects, name) // deleted by another client
		return retryLater("it is gone")
	case err != nil:
		return err
	case !metav1.IsControlledBy(existing, r.app):
		delete(r.state.objects, name)
		return errOtherOwner
	case !existing.DeletionTimestamp.IsZero():
		return retryLater("it is being deleted")
	}
	if err := r.apply(ctx, existing, object.DeepCopy()); err != nil {
		return err
	}
	r.state.objects[name] = content
	return nil
}

// apply brings an own object in line with what is wanted; fields that are no longer wanted are removed. What was
// created counts as applied from then on, so that the API server knows which fields are the operator's (Kubernetes,
// "Upgrading from client-side apply").
func (r *reconciliation) apply(ctx context.Context, existing *metav1.PartialObjectMetadata, object *unstructured.Unstructured) error {
	takeOver, err := csaupgrade.UpgradeManagedFieldsPatch(existing, sets.New(v1alpha1.FieldOwner), v1alpha1.FieldOwner)
	if err != nil {
		return err
	}
	object.SetUID(existing.UID) // never another one of the same name
	if takeOver != nil {
		if err := r.Client.Patch(ctx, existing, client.RawPatch(types.JSONPatchType, takeOver)); err != nil {
			return err
		}
	}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(v1alpha1.FieldOwner), client.ForceOwnership)
}

// deleteOne deletes a companion, if it is there and the application's own.
func (r *reconciliation) deleteOne(ctx context.Context, name livemeta.Key) error {
	existing := name.Metadata(r.app.Namespace)
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(existing), existing)
	if err == nil && metav1.IsControlledBy(existing, r.app) && existing.DeletionTimestamp.IsZero() {
		uid := existing.UID
		err = r.Client.Delete(ctx, existing, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	}
	if err != nil && !apianswer.IsGoneOrChanged(err) && !apimeta.IsNoMatchError(err) {
		return fmt.Errorf("delete %s %s/%s: %w", name.Kind.Kind, r.app.Namespace, name.Name, err)
	}
	return nil
}

// problemOf returns what an error about a companion means.
func problemOf(object *unstructured.Unstructured, err error) problem {
	what := fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
	var later retryLater
	switch {
	case errors.As(err, &later), apierrors.IsConflict(err):
		return problem{soon: true}
	case object.GroupVersionKind() == expose.RouteKind && (apimeta.IsNoMatchError(err) || kindUnknown(err)):
		return problem{reason: gatewayNotInstalled, text: what + " of spec.ui.route cannot be created, because the cluster does not serve the kind: " +
			"install the Gateway API (httproutes.gateway.networking.k8s.io, version v1)"}
	}
	return problem{reason: expose.CreateFailedReason, text: "could not apply " + what + ": " + err.Error()}
}

// kindUnknown reports whether the API server has no such resource. It says NotFound of the path, not of an object.
func kindUnknown(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) && (status.Status().Details == nil || status.Status().Details.Name == "")
}

// recordProblems records problems in an event, once until they change.
func (r *reconciliation) recordProblems(ctx context.Context, problems []problem) {
	reason, texts := "", make([]string, 0, len(problems))
	for _, problem := range problems {
		if !problem.soon {
			reason, texts = problem.reason, append(texts, problem.text)
		}
	}
	slices.Sort(texts)
	text := status.Truncate(apianswer.Steady(strings.Join(texts, "; "))) // the API server refuses longer events
	if text != "" && text != r.state.reported {
		ctrl.LoggerFrom(ctx).Info("Could not apply the web objects of the attempt", "reason", reason, "message", text)
		r.Recorder.Eventf(r.app, nil, corev1.EventTypeWarning, reason, reason, "%s", text)
	}
	if text != "" || len(problems) == 0 {
		r.state.reported = text
	}
}
