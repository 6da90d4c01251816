// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// hasSecrets reports whether the properties contain values from Secrets, so that they must not be in a ConfigMap.
func (b *build) hasSecrets() bool { return len(b.in.App.Spec.SparkConfFrom) > 0 }

// secret returns the Secret of the attempt, which holds the properties instead of the ConfigMap.
func (b *build) secret(properties string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: objectMeta(b.in, b.names.Secret),
		Immutable:  ptr.To(true),
		StringData: map[string]string{propertiesFile: properties},
	}
}

// secretConfVolume returns the volume for Spark's conf folder if the properties are in the Secret and all other files
// in the ConfigMap. The driver finds the same files as without a Secret.
func (b *build) secretConfVolume(properties corev1.KeyToPath, files []corev1.KeyToPath) corev1.Volume {
	sources := []corev1.VolumeProjection{{Secret: &corev1.SecretProjection{
		LocalObjectReference: corev1.LocalObjectReference{Name: b.names.Secret},
		Items:                []corev1.KeyToPath{properties},
	}}}
	// An empty list of items would mean all keys.
	if len(files) > 0 {
		sources = append(sources, corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: b.names.ConfigMap},
			Items:                files,
		}})
	}
	return corev1.Volume{Name: confVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: sources}}}
}
