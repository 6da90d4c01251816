// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// sparkUser is the user of Spark's official images, and the one that Restricted runs pods as.
const sparkUser = int64(185)

// addSecurity fills the security fields that the template leaves empty, so that the pod satisfies the restricted Pod
// Security Standard. The user is set for the whole pod: init containers and sidecars that share volumes with Spark then
// share its user too, and images whose default user is root still start. There is no fsGroup: nothing here needs one,
// and on large volumes it costs minutes.
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

// restrictPod fills the fields that apply to all containers.
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

// restrictContainer fills what has no field for the whole pod.
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
