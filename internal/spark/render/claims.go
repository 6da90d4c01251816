// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// addClaim creates the claim of a driver's volume if its name contains OnDemand. index is the index of the volume among
// those of the driver. Package validate checks claims with a fixed name and a size.
func (b *build) addClaim(v mounted, index int) error {
	source := v.Volume.PersistentVolumeClaim
	if source == nil || !strings.Contains(source.ClaimName, conf.OnDemand) {
		return nil
	}
	class, hasClass := v.properties.options["options.storageClass"]
	size, err := v.properties.size()
	if err != nil {
		return err
	}
	if !hasClass || size == nil {
		return b.given.Wrong(v.properties.key("options.claimName"), "names a claim that is not created without a class and a size",
			"also set options.storageClass and options.sizeLimit of the volume, or name a claim that exists")
	}
	mode, err := b.claimMode()
	source.ClaimName = strings.ReplaceAll(source.ClaimName, conf.OnDemand, fmt.Sprintf("%s-driver-pvc-%d", b.names.Prefix, index))
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: objectMeta(b.in, source.ClaimName),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{mode},
			StorageClassName: &class,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *size}},
		},
	}
	claim.Labels = merged(claim.Labels, map[string]string{v1alpha1.SparkSelectorLabel: b.names.ApplicationID})
	if b.client.volumeOptions {
		claim.Labels = merged(v.properties.family("label."), claim.Labels)
		claim.Annotations = merged(nil, v.properties.family("annotation."))
	}
	b.claims = append(b.claims, claim)
	return err
}

// claimMode returns the access mode of the claims that are created.
func (b *build) claimMode() (corev1.PersistentVolumeAccessMode, error) {
	older, err := b.given.Bool(conf.LegacyAccessMode, !b.client.podClaims)
	if older {
		return corev1.ReadWriteOnce, err
	}
	return corev1.ReadWriteOncePod, err
}

// family returns the options with a prefix, by the rest of their names.
func (v *volumeProperties) family(prefix string) map[string]string {
	values := map[string]string{}
	for option, value := range v.options {
		if name, ok := strings.CutPrefix(option, prefix); ok {
			values[name] = value
		}
	}
	return values
}
