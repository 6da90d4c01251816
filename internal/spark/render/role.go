// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
	"github.com/sparkgate/sparkgate/queueing"
)

// Role is driver or executor, with what the code that both share needs to know.
type Role struct {
	// Name is the name of the role in properties.
	Name conf.Role
	// Path is the path of the role in the application, such as spec.driver.
	Path string
	// Container is the name of Spark's container, unless the template has another one.
	Container string
	// Fields are the fields that driver and executor have in common.
	Fields *v1alpha1.PodRole
	// podSet is the name of the role's pod set in a grant.
	podSet string
}

// Roles returns the roles of driver and executor, in this order.
func Roles(app *v1alpha1.SparkApplication) []Role { return []Role{DriverOf(app), ExecutorOf(app)} }

// DriverOf returns the role of the driver.
func DriverOf(app *v1alpha1.SparkApplication) Role {
	return Role{conf.Driver, "spec.driver", "spark-kubernetes-driver", &app.Spec.Driver.PodRole, v1alpha1.DriverPodSet}
}

// ExecutorOf returns the role of the executors.
func ExecutorOf(app *v1alpha1.SparkApplication) Role {
	return Role{conf.Executor, "spec.executor", "spark-kubernetes-executor", &app.Spec.Executor.PodRole, v1alpha1.ExecutorPodSet}
}

// FindingError is the error for a raw part of the spec that cannot be decoded.
type FindingError struct{ finding.Finding }

// Error returns field and message.
func (e *FindingError) Error() string { return e.Field + ": " + e.Message }

// decode decodes a raw part of the spec.
func decode(raw *runtime.RawExtension, path string, into any) []error {
	if raw == nil || len(raw.Raw) == 0 {
		return nil
	}
	var errs []error
	for _, mistake := range strictdecode.Decode(raw.Raw, path, into) {
		errs = append(errs, &FindingError{mistake})
	}
	return errs
}

// Parts are the decoded raw parts of a role.
type Parts struct {
	Template corev1.PodTemplateSpec
	Env      []corev1.EnvVar
	EnvFrom  []corev1.EnvFromSource
	Volumes  []corev1.Volume
	Mounts   []corev1.VolumeMount
	// Affinity is nil if the field is absent.
	Affinity *corev1.Affinity
}

// Decode decodes the raw parts of the role. Each error is a *FindingError. Parts that could be decoded are returned
// even if there are errors.
func (r Role) Decode() (Parts, []error) {
	var parts Parts
	errs := decode(r.Fields.Template, r.Path+".template", &parts.Template)
	errs = append(errs, r.decodeEnvironment(&parts)...)
	for i := range r.Fields.Volumes {
		var volume corev1.Volume
		errs = append(errs, decode(&r.Fields.Volumes[i], fmt.Sprintf("%s.volumes[%d]", r.Path, i), &volume)...)
		parts.Volumes = append(parts.Volumes, volume)
	}
	for i := range r.Fields.VolumeMounts {
		var mount corev1.VolumeMount
		errs = append(errs, decode(&r.Fields.VolumeMounts[i], fmt.Sprintf("%s.volumeMounts[%d]", r.Path, i), &mount)...)
		parts.Mounts = append(parts.Mounts, mount)
	}
	if r.Fields.Affinity != nil {
		parts.Affinity = &corev1.Affinity{}
		errs = append(errs, decode(r.Fields.Affinity, r.Path+".affinity", parts.Affinity)...)
	}
	return parts, errs
}

// decodeEnvironment decodes the variables of the role.
func (r Role) decodeEnvironment(parts *Parts) []error {
	var errs []error
	for i := range r.Fields.Env {
		field := &r.Fields.Env[i]
		variable := corev1.EnvVar{Name: field.Name, Value: field.Value}
		if field.ValueFrom != nil {
			variable.ValueFrom = &corev1.EnvVarSource{}
			errs = append(errs, decode(field.ValueFrom, fmt.Sprintf("%s.env[%d].valueFrom", r.Path, i), variable.ValueFrom)...)
		}
		parts.Env = append(parts.Env, variable)
	}
	for i := range r.Fields.EnvFrom {
		var source corev1.EnvFromSource
		errs = append(errs, decode(&r.Fields.EnvFrom[i], fmt.Sprintf("%s.envFrom[%d]", r.Path, i), &source)...)
		parts.EnvFrom = append(parts.EnvFrom, source)
	}
	return errs
}

// SparkContainer returns the index of the container of a template in which Spark runs: the one that the property names,
// else the one with Spark's own name, else the first. It returns -1 if there is no container.
func (r Role) SparkContainer(containers []corev1.Container, p conf.Properties) int {
	for _, name := range []string{p.Get(r.Name.Key("podTemplateContainerName"), r.Container), r.Container} {
		for i := range containers {
			if containers[i].Name == name {
				return i
			}
		}
	}
	return min(len(containers), 1) - 1
}

// isGated reports whether pods of the role wait behind the operator's scheduling gate.
func (r Role) isGated(in Input) bool {
	return in.SchedulingGated && r.podSet == v1alpha1.ExecutorPodSet
}

// granted returns the grant's first pod set for the role, nil if there is none.
func (r Role) granted(grant *queueing.Grant) *queueing.PodSetGrant {
	if grant == nil {
		return nil
	}
	for i := range grant.PodSets {
		if grant.PodSets[i].Name == r.podSet {
			return &grant.PodSets[i]
		}
	}
	return nil
}
