// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// author is the field manager of the applications of schedules. It differs from the operator's field manager, which
// writes their status: a schedule is the author of their spec, as a user would be.
const author = v1alpha1.FieldOwner + "-schedule"

// applicationOf builds the application of a run. It does not copy the schedule's own labels and annotations: GitOps
// tools track objects by them and would prune an application that is not in Git.
func applicationOf(s *v1alpha1.ScheduledSparkApplication, run tick.Run) (*unstructured.Unstructured, error) {
	spec := map[string]any{}
	if err := json.Unmarshal(s.Spec.Template.Spec.Raw, &spec); err != nil {
		return nil, fmt.Errorf("spec.template.spec is not an object: %w", err)
	}
	app := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	app.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))
	app.SetNamespace(s.Namespace)
	app.SetName(run.Name)
	labels, annotations := map[string]string{}, map[string]string{}
	maps.Copy(labels, s.Spec.Template.Metadata.Labels)
	maps.Copy(annotations, s.Spec.Template.Metadata.Annotations)
	labels[v1alpha1.ScheduleLabel] = s.Name
	annotate(annotations, run)
	app.SetLabels(labels)
	app.SetAnnotations(annotations)
	app.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(s, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))})
	return app, nil
}

// annotate replaces the annotations that say what an application was created for. A template that was made from an
// application has those of that one.
func annotate(annotations map[string]string, run tick.Run) {
	own := map[string]string{v1alpha1.RunForRequestAnnotation: run.Request}
	if !run.At.IsZero() {
		own[v1alpha1.ScheduledForAnnotation], own[v1alpha1.ScheduledDateAnnotation] = rfc3339(run.At), run.At.Format(time.DateOnly)
	}
	own[v1alpha1.PreviousScheduledForAnnotation] = rfc3339(run.Previous)
	for _, key := range append([]string{v1alpha1.RunForRequestAnnotation}, v1alpha1.ScheduledAnnotations...) {
		if delete(annotations, key); own[key] != "" {
			annotations[key] = own[key]
		}
	}
}

// checkTemplate returns the mistake in the template, or "": first what the API server finds in a dry run, then what the
// operator finds. A new leader does not check again what was found valid. If the API server could not check the
// template, it is checked again after retryTemplate.
func (ob observer) checkTemplate(ctx context.Context) (mistake string, err error) {
	s, e := ob.apps.schedule, &ob.record.template
	if e.valid == s.Generation || e.unanswered == s.Generation && ob.now.Sub(e.asked) < retryTemplate {
		return "", nil
	}
	ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	if s.Status.ObservedGeneration != s.Generation || ready == nil || ready.Reason == v1alpha1.InvalidSpecReason || e.unanswered == s.Generation {
		mistake, answered, err := ob.tryTemplate(ctx, s)
		if err != nil || mistake != "" {
			return mistake, err
		}
		if !answered {
			e.unanswered, e.asked = s.Generation, ob.now
			return "", nil
		}
	}
	e.valid = s.Generation
	return "", nil
}

// tryTemplate makes the API server check an application in a dry run, and reports whether the API server has answered.
// The operator's own rules are applied in any case.
func (ob observer) tryTemplate(ctx context.Context, s *v1alpha1.ScheduledSparkApplication) (mistake string, answered bool, err error) {
	app, err := applicationOf(s, tick.Run{Name: tick.Name(s.Name, ob.now), At: ob.now})
	if err != nil {
		return err.Error(), true, nil
	}
	err = ob.client.Create(ctx, app, client.FieldOwner(author), client.DryRunAll, client.FieldValidation("Strict"))
	switch {
	case apierrors.IsBadRequest(err) && !apianswer.RefusesDryRuns(err):
		return cmp.Or(unreadable(s), mistakesOf(err)), true, nil
	case apierrors.IsInvalid(err):
		return mistakesOf(err), true, nil
	case apierrors.IsForbidden(err), apianswer.IsWebhookAway(err), apianswer.IsDenied(err), apianswer.RefusesDryRuns(err): // a quota is used up, for example
		if mistake = unreadable(s); mistake != "" {
			return mistake, false, nil
		}
	case err == nil, apierrors.IsAlreadyExists(err): // names are checked last, so everything else is valid
		answered = true
	default:
		return "", false, fmt.Errorf("check the template: %w", err)
	}
	mistake, err = ob.mistakeOf(ctx, app)
	return mistake, answered, err
}

// mistakeOf returns the mistake that the operator finds in an application of the template, together with its
// sparkConfigMap if that may complete the spec, or "". It finds none while the ConfigMap does not exist or may not be
// read; the applications will report that.
func (ob observer) mistakeOf(ctx context.Context, built *unstructured.Unstructured) (mistake string, err error) {
	app := &v1alpha1.SparkApplication{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(built.Object, app); err != nil {
		return inTemplate(err.Error()), nil
	}
	if app.Spec.Server != nil {
		return inTemplate("spec.server: " + validate.ServerNotScheduled), nil
	}
	findings := validate.Application(app)
	if validate.ConfigMapMayMend(app, findings) {
		files := &corev1.ConfigMap{}
		switch err := ob.live.Get(ctx, client.ObjectKey{Namespace: app.Namespace, Name: app.Spec.SparkConfigMap}, files); {
		case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("read the sparkConfigMap of the template: %w", err)
		}
		findings = validate.Submission(app, conf.Sources{ConfigMap: files.Data})
	}
	if len(findings) == 0 {
		return "", nil
	}
	return inTemplate(findings[0].Field + ": " + findings[0].Message), nil
}

// unreadable describes the fields of the template that do not exist or cannot be read, with remedies that the API
// server does not name.
func unreadable(s *v1alpha1.ScheduledSparkApplication) string {
	var mistakes []string
	for _, m := range strictdecode.Decode(s.Spec.Template.Spec.Raw, "spec.template.spec", &v1alpha1.SparkApplicationSpec{}) {
		mistakes = append(mistakes, redact.Text(m.Field+": "+m.Message))
	}
	return strings.Join(mistakes, "; ")
}

// mistakesOf returns the mistakes that the API server has found, each with the field.
func mistakesOf(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return inTemplate(err.Error())
	}
	var mistakes []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Field != "<nil>" { // such a cause only says that other rules were not checked
			mistakes = append(mistakes, inTemplate(cause.Field+": "+cause.Message))
		}
	}
	return strings.Join(mistakes, "; ")
}

// inTemplate prefixes the mistake of an application with its place in the schedule. Secrets are redacted, because the
// API server repeats values.
func inTemplate(message string) string {
	message = redact.Text(message)
	if strings.HasPrefix(message, "spec.") || strings.HasPrefix(message, "metadata.") {
		return "spec.template." + message
	}
	return "spec.template: " + message
}
