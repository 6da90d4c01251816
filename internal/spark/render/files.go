// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// FilesVolume returns the name of the volume for an entry of spec.configMaps, in driver and executors.
func FilesVolume(entry string) string { return "files-" + entry }

// addFiles mounts the entries of spec.configMaps into Spark's container, after the mounts of the role.
func addFiles(d *draft, in Input, _ Role, _ Parts) {
	if len(in.App.Spec.ConfigMaps) == 0 {
		return
	}
	names := NamesOf(in.App, in.Run, in.Attempt)
	for i := range in.App.Spec.ConfigMaps {
		entry := &in.App.Spec.ConfigMaps[i]
		d.mount(configMapVolume(FilesVolume(entry.Name), names.Files(entry.Name)), corev1.VolumeMount{MountPath: entry.MountPath, ReadOnly: true})
	}
}

// files returns the ConfigMaps for the entries of spec.configMaps.
func (b *build) files() []*corev1.ConfigMap {
	var files []*corev1.ConfigMap
	for i := range b.in.App.Spec.ConfigMaps {
		entry := &b.in.App.Spec.ConfigMaps[i]
		files = append(files, &corev1.ConfigMap{
			ObjectMeta: objectMeta(b.in, b.names.Files(entry.Name)),
			Immutable:  ptr.To(true),
			Data:       entry.Data,
		})
	}
	return files
}
