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
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// gatewayNotInstalled is the reason of events about routes whose kind the cluster does not serve.
const gatewayNotInstalled = "GatewayAPINotInstalled"

// reconciliation is one pass over the companions of one application.
type reconciliation struct {
	*Reconciler
	app   *v1alpha1.SparkApplication
	state *state
	// unjudged are ways to the web interface of which it is not known whether another namespace holds their place: what exists of them stays as it is.
	unjudged []livemeta.Key
}

// problem says why a companion is not as wanted.
type problem struct {
	reason string
	text   string
	// final is true if only a change of the spec helps.
	final bool
	// soon is true if the problem resolves itself in a moment, so that no event is needed.
	soon bool
	// atLeast is the minimum pause before the next try.
	atLeast time.Duration
}

// reconcile creates, updates and deletes the companions of the attempt.
func (r *reconciliation) reconcile(ctx context.Context) []problem {
	in := expose.InputOf(r.app)
	problems := r.validateSpec(in)
	if len(problems) > 0 && in.Live {
		return problems // keep what was created from the previous spec
	}
	in.Started = in.Started && len(problems) == 0
	if in.Live && (expose.UsesUI(&r.app.Spec) || r.state.exposes()) {
		found, err := r.readUIService(ctx, &in)
		if err != nil {
			return append(problems, problem{reason: expose.CreateFailedReason, text: fmt.Sprintf("read the Service of the attempt: %s", err)})
		}
		problems = append(problems, found...)
	}
	problems = append(problems, r.judgeExposure(ctx, &in)...)
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
	for _, name := range r.unjudged {
		keep[name] = true
	}
	problems = append(problems, r.deleteUnwanted(ctx, keep)...)
	r.setAddress(in)
	return problems
}

// validateSpec returns the problems in the spec that are new since the attempt was planned.
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

// readUIService reads the Service of the attempt to find the port of the web interface, and applies
// spec.ui.serviceMetadata to it.
func (r *reconciliation) readUIService(ctx context.Context, in *expose.Input) ([]problem, error) {
	service, name := &corev1.Service{}, render.NamesOf(in.App, in.Run, in.Attempt).Service
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: r.app.Namespace, Name: name}, service)
	switch {
	case apierrors.IsNotFound(err), err == nil && (!metav1.IsControlledBy(service, r.app) || !service.DeletionTimestamp.IsZero()):
		return []problem{{soon: true}}, nil // the Service comes with the driver and goes with it
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
				text: way.Field + ": nothing is created, because " + conf.UIEnabled + " switches the web interface off; remove one"})
		}
		return problems, nil
	}
	in.UIPort, in.RouteTLS = render.UIPortOf(service), r.gatewayEncrypts(ctx)
	return problems, nil
}

// gatewayEncrypts reports whether the first Gateway of the route serves it with TLS, as far as the Gateway can be read.
// Only the displayed address depends on it.
func (r *reconciliation) gatewayEncrypts(ctx context.Context) bool {
	ui := r.app.Spec.UI
	if ui == nil || ui.Ingress != nil || ui.Route == nil || ui.Route.Hostname == "" || len(ui.Route.ParentRefs) == 0 {
		return false
	}
	parent := ui.Route.ParentRefs[0]
	gateway := r.readGateway(ctx, types.NamespacedName{Namespace: cmp.Or(parent.Namespace, r.app.Namespace), Name: parent.Name})
	return gateway != nil && expose.Encrypts(gateway, r.app, parent)
}

// patchUIService applies spec.ui.serviceMetadata to the Service of the attempt, because it may have changed since the
// Service was created.
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
		return []problem{{soon: true}} // the Service is gone, or another one has its name
	case err != nil:
		r.state.extras = true
		return []problem{{reason: expose.CreateFailedReason, text: fmt.Sprintf("spec.ui.serviceMetadata is not applied to the Service of the attempt: %s", err)}}
	}
	return nil
}

// errOtherOwner is the error that an object of another owner has the name of a companion.
var errOtherOwner = errors.New("it already exists and belongs to another owner; delete it, or choose another name for the application")

// retryLater is the error that a companion cannot be applied until something else has happened, which will be soon.
type retryLater string

func (r retryLater) Error() string { return string(r) }

// applyOne creates or updates one companion, unless it is known to be as wanted.
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
		delete(r.state.objects, name) // another client has deleted it
		return retryLater("it is gone")
	case err != nil:
		return err
	case !metav1.IsControlledBy(existing, r.app):
		delete(r.state.objects, name)
		return errOtherOwner
	case !existing.DeletionTimestamp.IsZero():
		return retryLater("it is being deleted")
	}
	if err := r.makeWay(ctx, name, object); err != nil {
		return err
	}
	if err := r.apply(ctx, existing, object.DeepCopy()); err != nil {
		return err
	}
	r.state.objects[name] = content
	return nil
}

// makeWay deletes a Service that exists as another type than is wanted, headless or not, which never changes.
func (r *reconciliation) makeWay(ctx context.Context, name livemeta.Key, object *unstructured.Unstructured) error {
	if name.Kind != expose.ServiceKind {
		return nil
	}
	service := &corev1.Service{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(object), service); err != nil {
		return err
	}
	address, _, _ := unstructured.NestedString(object.Object, "spec", "clusterIP")
	if (service.Spec.ClusterIP == corev1.ClusterIPNone) == (address == corev1.ClusterIPNone) {
		return nil
	}
	if err := r.deleteOne(ctx, name); err != nil {
		return err
	}
	return retryLater("it is created again")
}

// apply updates a companion to what is wanted, and removes fields that are no longer wanted. It first converts the
// field ownership from creation to server-side apply, so that the API server knows which fields belong to the operator
// (Kubernetes, "Upgrading from client-side apply").
func (r *reconciliation) apply(ctx context.Context, existing *metav1.PartialObjectMetadata, object *unstructured.Unstructured) error {
	takeOver, err := csaupgrade.UpgradeManagedFieldsPatch(existing, sets.New(v1alpha1.FieldOwner), v1alpha1.FieldOwner)
	if err != nil {
		return err
	}
	object.SetUID(existing.UID) // never another object with the same name
	if takeOver != nil {
		if err := r.Client.Patch(ctx, existing, client.RawPatch(types.JSONPatchType, takeOver)); err != nil {
			return err
		}
	}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(v1alpha1.FieldOwner), client.ForceOwnership)
}

// deleteOne deletes a companion if it exists and belongs to the application.
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

// routeFields maps the kinds of the Gateway API to the fields that create them.
var routeFields = map[string]string{expose.RouteKind.Kind: conf.RouteField, expose.GRPCKind.Kind: conf.ServerRouteField}

// problemOf returns the problem for an error about a companion.
func problemOf(object *unstructured.Unstructured, err error) problem {
	what := fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
	var later retryLater
	switch {
	case errors.As(err, &later), apierrors.IsConflict(err):
		return problem{soon: true}
	case routeFields[object.GetKind()] != "" && (apimeta.IsNoMatchError(err) || kindUnknown(err)):
		return problem{reason: gatewayNotInstalled, text: fmt.Sprintf("%s of %s cannot be created, because the cluster does not serve the kind: "+
			"install the Gateway API (%ss.gateway.networking.k8s.io, version v1)", what, routeFields[object.GetKind()], strings.ToLower(object.GetKind()))}
	}
	return problem{reason: expose.CreateFailedReason, text: "could not apply " + what + ": " + err.Error()}
}

// kindUnknown reports whether the API server does not serve the kind. The NotFound is then about the path, not about an
// object.
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
	text := status.Truncate(apianswer.Steady(strings.Join(texts, "; "))) // longer events are refused
	if text != "" && text != r.state.reported {
		ctrl.LoggerFrom(ctx).Info("Could not apply the web objects of the attempt", "reason", reason, "message", text)
		r.Recorder.Eventf(r.app, nil, corev1.EventTypeWarning, reason, reason, "%s", text)
	}
	if text != "" || len(problems) == 0 {
		r.state.reported = text
	}
}
