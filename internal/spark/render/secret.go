// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// hasSecrets reports whether the properties hold values of Secrets, so that they must not be in a ConfigMap.
func (b *build) hasSecrets() bool { return len(b.in.App.Spec.SparkConfFrom) > 0 }

// secret returns the Secret of the attempt with the properties. It takes the place of that part of the ConfigMap.
func (b *build) secret(properties string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: objectMeta(b.in, b.names.Secret),
		Immutable:  ptr.To(true),
		StringData: map[string]string{propertiesFile: properties},
	}
}

// secretConfVolume returns the volume of Spark's conf folder where the properties come from the Secret and all else
// from the ConfigMap. The driver finds the same files under the same names as without.
func (b *build) secretConfVolume(properties corev1.KeyToPath, files []corev1.KeyToPath) corev1.Volume {
	sources := []corev1.VolumeProjection{{Secret: &corev1.SecretProjection{
		LocalObjectReference: corev1.LocalObjectReference{Name: b.names.Secret},
		Items:                []corev1.KeyToPath{properties},
	}}}
	if len(files) > 0 { // no items would mean all
		sources = append(sources, corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: b.names.ConfigMap},
			Items:                files,
		}})
	}
	return corev1.Volume{Name: confVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: sources}}}
}
