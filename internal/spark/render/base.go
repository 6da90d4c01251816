// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// baseStep adds one kind of settings, for which Spark has no property, to a pod of either role.
type baseStep func(d *draft, in Input, r Role, parts Parts)

// baseSteps run in this order on the pod template of either role. The result takes the place of the template file that
// spark-submit would read for the driver, and is the template file for executors.
var baseSteps = []baseStep{
	addAttemptLabels,
	addEnvironment,
	addAccelerators,
	addVolumes,
	addFiles,
	addMetrics,
	addScheduling,
	addPlacement,
	addGate,
	addSecurity,
	addLastWords,
}

// basePod returns the pod from which Spark's own steps start.
func basePod(in Input, r Role) (draft, []error) {
	parts, errs := r.Decode()
	// Nothing else refers to the decoded template.
	d := draft{pod: &corev1.Pod{ObjectMeta: parts.Template.ObjectMeta, Spec: parts.Template.Spec}}
	d.takeContainer(r, in)
	for _, step := range baseSteps {
		step(&d, in, r, parts)
	}
	return d, errs
}

// draft is a pod under construction. Spark's container is kept apart from the others.
type draft struct {
	pod       *corev1.Pod
	container corev1.Container
}

// grow allocates space for the volumes and variables that every driver gets.
func (d *draft) grow() {
	const volumes, variables = 4, 8
	d.pod.Spec.Volumes = slices.Grow(d.pod.Spec.Volumes, volumes)
	d.container.VolumeMounts = slices.Grow(d.container.VolumeMounts, volumes)
	d.container.Env = slices.Grow(d.container.Env, variables)
}

// takeContainer moves Spark's container from the pod into the draft.
func (d *draft) takeContainer(r Role, in Input) {
	if i := r.SparkContainer(d.pod.Spec.Containers, in.Properties); i >= 0 {
		d.container = d.pod.Spec.Containers[i]
		d.pod.Spec.Containers = slices.Delete(d.pod.Spec.Containers, i, i+1)
	}
	if d.container.Name == "" {
		d.container.Name = r.Container
	}
}

// addAttemptLabels adds the labels of the attempt.
func addAttemptLabels(d *draft, in Input, _ Role, _ Parts) {
	d.addLabels(attemptLabels(in))
}

// addEnvironment adds the variables of the role after those of the template.
func addEnvironment(d *draft, _ Input, _ Role, parts Parts) {
	d.container.Env = append(d.container.Env, parts.Env...)
	d.container.EnvFrom = append(d.container.EnvFrom, parts.EnvFrom...)
}

// addAccelerators sets the limit for accelerators. Kubernetes sets the request to the same amount.
func addAccelerators(d *draft, _ Input, r Role, _ Parts) {
	if gpu := r.Fields.GPU; gpu != nil {
		d.limit(corev1.ResourceName(gpu.Name), *resource.NewQuantity(gpu.Quantity, resource.DecimalSI))
	}
}

// addVolumes adds the volumes and mounts of the role after those of the template.
func addVolumes(d *draft, _ Input, _ Role, parts Parts) {
	d.pod.Spec.Volumes = append(d.pod.Spec.Volumes, parts.Volumes...)
	d.container.VolumeMounts = append(d.container.VolumeMounts, parts.Mounts...)
}

// addScheduling adds the tolerations of the role, and its affinity, which replaces the one of the template.
func addScheduling(d *draft, _ Input, r Role, parts Parts) {
	d.tolerate(r.Fields.Tolerations)
	if parts.Affinity != nil {
		d.pod.Spec.Affinity = parts.Affinity
	}
}

// addPlacement adds the node selector, tolerations, labels, annotations, scheduler and scheduling gates of the grant.
// Executors behind the operator's scheduling gate get them when they are ungated.
func addPlacement(d *draft, in Input, r Role, _ Parts) {
	if granted := r.granted(in.Grant); granted != nil && !r.isGated(in) {
		d.selectNodes(granted.NodeSelector)
		d.tolerate(granted.Tolerations)
		d.addLabels(granted.Labels)
		d.annotate(granted.Annotations)
		if granted.SchedulerName != "" {
			d.pod.Spec.SchedulerName = granted.SchedulerName
		}
		for _, gate := range granted.SchedulingGates {
			d.pod.Spec.SchedulingGates = append(d.pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate})
		}
	}
}

// addGate adds the operator's scheduling gate to executors that wait for quota.
func addGate(d *draft, in Input, r Role, _ Parts) {
	gate := corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate}
	if r.isGated(in) && !slices.Contains(d.pod.Spec.SchedulingGates, gate) {
		d.pod.Spec.SchedulingGates = append(d.pod.Spec.SchedulingGates, gate)
	}
}

// addLabels adds labels, replacing those with the same key.
func (d *draft) addLabels(labels map[string]string) {
	d.pod.Labels = merged(d.pod.Labels, labels)
}

// annotate adds annotations, replacing those with the same key.
func (d *draft) annotate(annotations map[string]string) {
	d.pod.Annotations = merged(d.pod.Annotations, annotations)
}

// selectNodes adds labels to the node selector, replacing those with the same key.
func (d *draft) selectNodes(labels map[string]string) {
	d.pod.Spec.NodeSelector = merged(d.pod.Spec.NodeSelector, labels)
}

// tolerate adds the tolerations that the pod does not have yet.
func (d *draft) tolerate(tolerations []corev1.Toleration) {
	for _, toleration := range tolerations {
		known := func(other corev1.Toleration) bool { return other.MatchToleration(&toleration) }
		if !slices.ContainsFunc(d.pod.Spec.Tolerations, known) {
			d.pod.Spec.Tolerations = append(d.pod.Spec.Tolerations, *toleration.DeepCopy())
		}
	}
}

// env appends a variable.
func (d *draft) env(name, value string) {
	d.container.Env = append(d.container.Env, corev1.EnvVar{Name: name, Value: value})
}

// request sets what Spark's container requests of a resource; limit sets its limit.
func (d *draft) request(name corev1.ResourceName, amount resource.Quantity) {
	d.container.Resources.Requests = withResource(d.container.Resources.Requests, name, amount)
}

func (d *draft) limit(name corev1.ResourceName, amount resource.Quantity) {
	d.container.Resources.Limits = withResource(d.container.Resources.Limits, name, amount)
}

// mount adds a volume and mounts it into Spark's container.
func (d *draft) mount(volume corev1.Volume, mount corev1.VolumeMount) {
	mount.Name = volume.Name
	d.pod.Spec.Volumes = append(d.pod.Spec.Volumes, volume)
	d.container.VolumeMounts = append(d.container.VolumeMounts, mount)
}

// withResource sets one amount in a list that may be nil.
func withResource(list corev1.ResourceList, name corev1.ResourceName, amount resource.Quantity) corev1.ResourceList {
	if list == nil {
		list = corev1.ResourceList{}
	}
	list[name] = amount
	return list
}

// merged returns the entries of both maps; those of b win. It returns nil only if both are empty and a is nil.
func merged(a, b map[string]string) map[string]string {
	if len(a)+len(b) == 0 {
		return a
	}
	both := make(map[string]string, len(a)+len(b))
	maps.Copy(both, a)
	maps.Copy(both, b)
	return both
}

// restricted reports whether the application wants its empty security fields filled in.
func restricted(app *v1alpha1.SparkApplication) bool {
	return app.Spec.PodSecurity == "" || app.Spec.PodSecurity == v1alpha1.PodSecurityRestricted
}

// addLastWords makes Kubernetes put the end of the log of a Spark container that fails into the pod. The pods of
// executors are soon gone, and their logs with them.
func addLastWords(d *draft, _ Input, _ Role, _ Parts) {
	if d.container.TerminationMessagePolicy == "" {
		d.container.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	}
}
