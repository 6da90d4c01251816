// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// sparkUser is the user of Spark's official images, which Restricted also sets for pods.
const sparkUser = int64(185)

// addSecurity fills in the security fields that the template leaves empty, so that the pod meets the restricted Pod
// Security Standard. The user is set for the whole pod, so that init containers and sidecars which share volumes with
// Spark have the same user, and images whose default user is root can start. It sets no fsGroup: nothing needs it, and
// on large volumes it takes minutes.
func addSecurity(d *draft, in Input, _ Role, _ Parts) {
	if !restricted(in.App) {
		return
	}
	if d.pod.Spec.SecurityContext == nil {
		d.pod.Spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	restrictPod(d.pod.Spec.SecurityContext)
	restrictContainer(&d.container)
	for i := range d.pod.Spec.Containers {
		restrictContainer(&d.pod.Spec.Containers[i])
	}
	for i := range d.pod.Spec.InitContainers {
		restrictContainer(&d.pod.Spec.InitContainers[i])
	}
}

// restrictPod fills in the fields that apply to all containers.
func restrictPod(security *corev1.PodSecurityContext) {
	if security.RunAsNonRoot == nil {
		security.RunAsNonRoot = ptr.To(true)
	}
	if security.RunAsUser == nil {
		security.RunAsUser = ptr.To(sparkUser)
	}
	if security.SeccompProfile == nil {
		security.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	}
}

// restrictContainer fills in the fields that exist only for single containers.
func restrictContainer(container *corev1.Container) {
	if container.SecurityContext == nil {
		container.SecurityContext = &corev1.SecurityContext{}
	}
	security := container.SecurityContext
	if security.AllowPrivilegeEscalation == nil {
		security.AllowPrivilegeEscalation = ptr.To(false)
	}
	if security.Capabilities == nil {
		security.Capabilities = &corev1.Capabilities{}
	}
	if security.Capabilities.Drop == nil {
		security.Capabilities.Drop = []corev1.Capability{"ALL"}
	}
}
