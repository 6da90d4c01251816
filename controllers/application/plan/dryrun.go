// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

const (
	// dryRunTimeout bounds the dry run of a pod. After a dry run that took longer there is none for dryRunPause,
	// because a webhook that does not answer would block all workers, once for each waiting application.
	dryRunTimeout = 2 * time.Second
	dryRunPause   = time.Minute
	// maxDryRun is the maximum size of a pod for a dry run, in bytes. The API server takes seconds for thousands of
	// containers, which would look like a webhook that does not answer.
	maxDryRun = 128 << 10
)

// DryRun has the API server check objects before quota is requested for them.
type DryRun struct {
	Client     client.Client
	Reader     *Reader
	Builder    *Builder
	Rejections *Rejections
	Clock      clock.Clock
}

// stillRejected returns a finding if the API server has recently rejected the content of a start and still does. No
// quota is requested until a dry run of the objects is accepted.
func (dr *DryRun) stillRejected(ctx context.Context, g *draft) ([]finding.Finding, error) {
	if g.ReusesChecks || dr.Rejections.none() {
		return nil, nil
	}
	key, err := newContent(g.app)
	if err != nil {
		return nil, err
	}
	last, was := dr.Rejections.of(key)
	if !was {
		return nil, nil
	}
	now := startOf{g.start.Run, g.ready.Plan.Inputs}
	if last.startOf != now || !dr.Clock.Now().Before(last.until) {
		message, err := dr.objects(ctx, g)
		if err != nil {
			return nil, err
		}
		if message == "" {
			dr.Rejections.forget(key)
			return nil, nil
		}
		last = dr.Rejections.note(key, now, message)
	}
	g.Plan.Outside = true // so that the start is tried again
	g.Requeue = requeue.Within(g.Requeue, last.until.Sub(dr.Clock.Now()))
	return []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: last.message}}, nil
}

// objects returns why the API server rejects the objects of a start. It returns the empty string if it accepts them, or
// may accept them later as they are.
func (dr *DryRun) objects(ctx context.Context, g *draft) (string, error) {
	b, err := dr.Builder.build(ctx, g.order())
	if err != nil {
		return "", err
	}
	for _, obj := range b.objects.InOrder() {
		if err := dr.Reader.Spend(g.app, 1); err != nil {
			return "", err
		}
		if err := dr.Client.Create(ctx, obj, client.FieldOwner(v1alpha1.FieldOwner), client.DryRunAll); apianswer.IsRejected(err) {
			return RejectionOf(obj, err, tryAgain), nil
		}
	}
	return "", nil
}

// refusedPods dry-runs the pods of each role, and returns why the API server would reject them as invalid. Without the
// dry run, an invalid driver would show only after its quota is granted, and invalid executors only in the driver's
// log, while it holds the quota of all of them. Only roles with parts that the operator passes on unchecked are
// dry-run. If before was prepared from the same inputs, the pods were accepted then, and nothing is checked.
func (dr *DryRun) refusedPods(ctx context.Context, app *v1alpha1.SparkApplication, b built, before *memory.Prepared) ([]finding.Finding, error) {
	if before != nil && before.Plan.Inputs == b.inputs || dr.Clock.Now().UnixNano() < dr.Rejections.pausedUntil.Load() {
		return nil, nil
	}
	var found []finding.Finding
	for _, role := range render.Roles(app) {
		if !passesOn(role.Fields) {
			continue
		}
		pod, err := podOf(role.Name, b.objects)
		if err != nil {
			return nil, err
		}
		if pod.Size() > maxDryRun {
			continue
		}
		if err := dr.Reader.Spend(app, 1); err != nil {
			return nil, err
		}
		pod.Namespace, pod.Name = app.Namespace, b.objects.Names.DriverPod
		if err = dr.checkPod(ctx, pod); errors.Is(err, context.DeadlineExceeded) {
			dr.Rejections.pausedUntil.Store(dr.Clock.Now().Add(dryRunPause).UnixNano())
			return found, nil
		}
		if why := invalidPod(role.Name, err); why != "" {
			found = append(found, finding.Finding{Reason: v1alpha1.InvalidSpecReason, Field: role.Path, Message: why})
		}
	}
	return found, nil
}

// checkPod creates a pod as a dry run and returns the error.
func (dr *DryRun) checkPod(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, dryRunTimeout)
	defer cancel()
	return dr.Client.Create(ctx, pod, client.FieldOwner(v1alpha1.FieldOwner), client.DryRunAll)
}

// passesOn reports whether the pods of a role have parts that the operator does not check as the API server does.
func passesOn(role *v1alpha1.PodRole) bool {
	return role.Template != nil || role.Affinity != nil || len(role.Volumes)+len(role.VolumeMounts)+len(role.EnvFrom) > 0 ||
		slices.ContainsFunc(role.Env, func(v v1alpha1.EnvVar) bool { return v.ValueFrom != nil })
}

// podOf returns a pod of a role as the operator or Spark will create it.
func podOf(role conf.Role, objects render.Objects) (*corev1.Pod, error) {
	if role == conf.Driver {
		return objects.Pod.DeepCopy(), nil
	}
	pod, err := podsets.ExecutorPod(objects)
	if err != nil {
		return nil, err
	}
	pod.Spec.Containers[0].Image = objects.Properties.First("", conf.Executor.Key("container.image"), conf.Image)
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	return pod, render.CompleteExecutor(pod, objects)
}

// invalidPod returns why the API server finds a pod invalid, and what to do about it. It returns the empty string for
// any other error: a policy may forbid to the operator what it allows a driver, or the reverse.
func invalidPod(role conf.Role, err error) string {
	var answer apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &answer) || answer.Status().Details == nil || apianswer.NamesPolicy(err) {
		return ""
	}
	var why []string
	for _, cause := range answer.Status().Details.Causes {
		if role == conf.Driver || !leftToSpark(cause) {
			why = append(why, cause.Field+": "+cause.Message)
		}
	}
	if len(why) == 0 {
		return ""
	}
	return fmt.Sprintf("the API server refuses such pods: %s; correct these fields", redact.First(redact.Text(strings.Join(why, "; ")), status.MaxMessage/2))
}

// leftToSpark reports whether Spark resolves an error that the API server finds in an executor pod, because Spark
// replaces the field or adds the volume that a container of the template mounts.
func leftToSpark(cause metav1.StatusCause) bool {
	switch cause.Field {
	case "spec.hostname", "spec.containers[0].imagePullPolicy":
		return true
	}
	return cause.Type == metav1.CauseTypeFieldValueNotFound && strings.Contains(cause.Field, ".volumeMounts[")
}
