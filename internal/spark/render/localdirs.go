// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// LocalDirPrefix is the prefix of volume names that makes Spark use the volume as scratch space.
const LocalDirPrefix = "spark-local-dir-"

// localDirsStep gives the driver scratch space: volumes with LocalDirPrefix if there are any, else one emptyDir for
// each folder of spark.local.dir.
func localDirsStep(b *build) error {
	tmpfs, err := b.given.Bool(conf.LocalDirsTmpfs, false)
	if err != nil {
		return err
	}
	dirs := b.driver.localDirs()
	if len(dirs) == 0 {
		dirs = b.driver.addLocalDirs(b.given.Get(conf.LocalDir, b.names.localDir()), tmpfs)
	}
	b.driver.env(localDirsVariable, strings.Join(dirs, ","))
	return nil
}

// localDirsVariable is the environment variable with the folders for scratch space, of the driver and its executors.
const localDirsVariable = "SPARK_LOCAL_DIRS"

// localDirs returns the folders at which Spark's container mounts volumes for scratch space.
func (d *draft) localDirs() []string {
	var dirs []string
	for _, mount := range d.container.VolumeMounts {
		if strings.HasPrefix(mount.Name, LocalDirPrefix) {
			dirs = append(dirs, mount.MountPath)
		}
	}
	return dirs
}

// addLocalDirs mounts an emptyDir at each folder of a comma-separated list, in memory if tmpfs is set. It returns the
// folders.
func (d *draft) addLocalDirs(list string, tmpfs bool) []string {
	dirs := splitJava(list)
	for i, dir := range dirs {
		source := &corev1.EmptyDirVolumeSource{}
		if tmpfs {
			source.Medium = corev1.StorageMediumMemory
		}
		d.mount(
			corev1.Volume{Name: fmt.Sprintf("%s%d", LocalDirPrefix, i+1), VolumeSource: corev1.VolumeSource{EmptyDir: source}},
			corev1.VolumeMount{MountPath: dir})
	}
	return dirs
}

// splitJava splits a list at commas as Java does, which removes empty elements only at the end.
func splitJava(list string) []string {
	if trimmed := strings.TrimRight(list, ","); trimmed != "" {
		list = trimmed
	}
	return strings.Split(list, ",")
}

// localDir returns a folder that no image has. Spark uses a random UUID; this one is derived from the application id.
func (n Names) localDir() string {
	id := strings.TrimPrefix(n.ApplicationID, "spark-")
	return fmt.Sprintf("/var/data/spark-%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:])
}
