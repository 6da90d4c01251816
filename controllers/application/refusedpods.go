// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/status"
)

const (
	// checkPatience is how long the API server may take to check a pod, and checkPause for how long no pods are checked after it took longer: a
	// webhook that does not answer would hold up all workers, for each application that waits.
	checkPatience = 2 * time.Second
	checkPause    = time.Minute
)

// refusedPods returns why the API server would find the pods of a role to be invalid, without creating any. Of a driver that would show when its
// quota is granted, and of executors in the log of the driver alone, which holds the quota of all of them meanwhile. The API server is asked only
// about roles with parts that are passed on as they are written; everything else is checked by the operator. What was prepared before from the same
// inputs was taken.
func (pn *planner) refusedPods(ctx context.Context, objects render.Objects, before *prepared) ([]finding.Finding, error) {
	if before != nil && before.inputs == pn.builder.inputs || pn.Clock.Now().UnixNano() < pn.checksFrom.Load() {
		return nil, nil
	}
	var found []finding.Finding
	for _, role := range render.Roles(pn.app) {
		if !passesOn(role.Fields) {
			continue
		}
		pod, err := podOf(role.Name, objects)
		if err != nil {
			return nil, err
		}
		if err := pn.reader.spend(1); err != nil {
			return nil, err
		}
		pod.Namespace, pod.Name = pn.app.Namespace, objects.Names.DriverPod
		if err = pn.checkPod(ctx, pod); errors.Is(err, context.DeadlineExceeded) {
			pn.checksFrom.Store(pn.Clock.Now().Add(checkPause).UnixNano())
			return found, nil
		}
		if why := invalidPod(role.Name, err); why != "" {
			found = append(found, finding.Finding{Reason: v1alpha1.InvalidSpecReason, Field: role.Path, Message: why})
		}
	}
	return found, nil
}

// mayBecomeValid reports whether pods that are invalid may become valid without a change of the application: a ConfigMap may be corrected, and a
// LimitRange gives containers limits.
func (pn *planner) mayBecomeValid(environment podsets.Environment) bool {
	return pn.app.Spec.SparkConfigMap != "" || len(environment.LimitRanges) > 0
}

// checkPod returns what the API server says of a pod, which it does not create.
func (pn *planner) checkPod(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	return pn.Client.Create(ctx, pod, client.FieldOwner(v1alpha1.FieldOwner), client.DryRunAll)
}

// passesOn reports whether the pods of a role have parts that the operator does not check as the API server does.
func passesOn(role *v1alpha1.PodRole) bool {
	return role.Template != nil || role.Affinity != nil || len(role.Volumes)+len(role.VolumeMounts)+len(role.EnvFrom) > 0 ||
		slices.ContainsFunc(role.Env, func(v v1alpha1.EnvVar) bool { return v.ValueFrom != nil })
}

// podOf returns a pod of a role as it will be created, by the operator or by Spark.
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
	return pod, render.AsSparkMakes(pod, objects)
}

// invalidPod returns what the API server says of a pod that is invalid in itself, and what to do; empty for any other answer: what a policy
// forbids the operator may be allowed to a driver, and the other way round.
func invalidPod(role conf.Role, err error) string {
	var said apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &said) || said.Status().Details == nil ||
		slices.ContainsFunc(rules, func(words string) bool { return strings.Contains(err.Error(), words) }) {
		return ""
	}
	var why []string
	for _, cause := range said.Status().Details.Causes {
		if role == conf.Driver || !leftToSpark(cause) {
			why = append(why, cause.Field+": "+cause.Message)
		}
	}
	if len(why) == 0 {
		return ""
	}
	return fmt.Sprintf("the API server refuses such pods: %s; correct these fields", redact.First(redact.Text(strings.Join(why, "; ")), status.MaxMessage/2))
}

// leftToSpark reports whether something of an executor may be as Spark needs it although the API server finds fault with it here: Spark replaces
// it, or adds the volume that a container of the template mounts.
func leftToSpark(cause metav1.StatusCause) bool {
	switch cause.Field {
	case "spec.hostname", "spec.containers[0].imagePullPolicy":
		return true
	}
	return cause.Type == metav1.CauseTypeFieldValueNotFound && strings.Contains(cause.Field, ".volumeMounts[")
}
