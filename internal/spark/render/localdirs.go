// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// LocalDirPrefix begins the names of volumes that Spark uses as scratch space.
const LocalDirPrefix = "spark-local-dir-"

// localDirsStep gives the driver scratch space: the mounts whose volume says so by its name, else one emptyDir per
// folder.
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

// localDirsVariable has the folders of the scratch space: of the driver, and so of its executors.
const localDirsVariable = "SPARK_LOCAL_DIRS"

// localDirs returns where Spark's container has a volume that is scratch space by its name.
func (d *draft) localDirs() []string {
	var dirs []string
	for _, mount := range d.container.VolumeMounts {
		if strings.HasPrefix(mount.Name, LocalDirPrefix) {
			dirs = append(dirs, mount.MountPath)
		}
	}
	return dirs
}

// addLocalDirs mounts an emptyDir at each folder of a list.
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

// splitJava splits at commas as Java does, which drops empty parts at the end, but not those before.
func splitJava(list string) []string {
	if trimmed := strings.TrimRight(list, ","); trimmed != "" {
		list = trimmed
	}
	return strings.Split(list, ",")
}

// localDir returns a folder that no image has. Spark takes a random UUID; this one follows from the application id.
func (n Names) localDir() string {
	id := strings.TrimPrefix(n.ApplicationID, "spark-")
	return fmt.Sprintf("/var/data/spark-%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:])
}
