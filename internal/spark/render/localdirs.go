// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// localDirPrefix begins the names of volumes that Spark uses as scratch space.
const localDirPrefix = "spark-local-dir-"

// localDirsStep gives the driver scratch space: the mounts whose volume says so by its name, else one emptyDir per
// folder.
func localDirsStep(b *build) error {
	tmpfs, err := b.given.Bool(conf.LocalDirsTmpfs, false)
	if err != nil {
		return err
	}
	var dirs []string
	for _, mount := range b.driver.container.VolumeMounts {
		if strings.HasPrefix(mount.Name, localDirPrefix) {
			dirs = append(dirs, mount.MountPath)
		}
	}
	if len(dirs) == 0 {
		dirs = b.addLocalDirs(tmpfs)
	}
	b.driver.env("SPARK_LOCAL_DIRS", strings.Join(dirs, ","))
	return nil
}

// addLocalDirs mounts an emptyDir at each folder of spark.local.dir, else at one with a name of its own.
func (b *build) addLocalDirs(tmpfs bool) []string {
	dirs := splitJava(b.given.Get(conf.LocalDir, b.localDir()))
	for i, dir := range dirs {
		source := &corev1.EmptyDirVolumeSource{}
		if tmpfs {
			source.Medium = corev1.StorageMediumMemory
		}
		b.driver.mount(
			corev1.Volume{Name: fmt.Sprintf("%s%d", localDirPrefix, i+1), VolumeSource: corev1.VolumeSource{EmptyDir: source}},
			corev1.VolumeMount{MountPath: dir})
	}
	return dirs
}

// splitJava splits at commas as Java does, which drops empty parts at the end, but not those before.
func splitJava(list string) []string {
	if trimmed := strings.TrimRight(list, ","); trimmed != "" {
		list = trimmed
	}
	return strings.Split(list, ",")
}

// localDir returns a folder that no image has. Spark takes a random UUID; this one follows from the application id.
func (b *build) localDir() string {
	id := strings.TrimPrefix(b.names.ApplicationID, "spark-")
	return fmt.Sprintf("/var/data/spark-%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:])
}
