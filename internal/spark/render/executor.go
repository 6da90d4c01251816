// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// executorConfVolume is where executors find their configuration, in confFolder.
const executorConfVolume = "spark-conf-volume-exec"

// AsSparkMakes adds to an executor created from the template what Spark adds to it and the API server or Pod Security
// Standards look at: all volumes, with their mounts, and whether processes may gain privileges. The first container is
// Spark's.
func AsSparkMakes(executor *corev1.Pod, o Objects) error {
	b := build{client: clientOf(o.SparkVersion), given: o.Properties}
	d := draft{pod: executor, container: executor.Spec.Containers[0]}
	d.mountSecrets(o.Properties, conf.Executor)
	volumes, err := b.volumesOf(conf.Executor)
	if err != nil {
		return err
	}
	for _, v := range volumes {
		d.mount(v.Volume, v.Mount)
	}
	if name, ok := o.Properties.Lookup(conf.ExecutorHadoopMap); ok {
		d.mountHadoop(name)
	}
	if err := d.mountExecutorDirs(&b, o); err != nil {
		return err
	}
	if err := b.setPrivileges(&d.container, conf.Executor); err != nil {
		return err
	}
	executor.Spec.Containers[0] = d.container
	return nil
}

// mountExecutorDirs adds the folders of an executor: Spark's configuration, and scratch space where no volume is that.
// The folders of that are those of the driver, as its variable says (LocalDirsFeatureStep).
func (d *draft) mountExecutorDirs(b *build, o Objects) error {
	without, err := b.given.Bool(disableConfigMap, false)
	if err != nil {
		return err
	}
	if !without {
		source := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: o.Names.Prefix + "-exec-conf-map"}}
		d.mount(corev1.Volume{Name: executorConfVolume, VolumeSource: corev1.VolumeSource{ConfigMap: source}}, corev1.VolumeMount{MountPath: confFolder})
	}
	excluded := conf.Split(b.given.Get(conf.Executor.Key("pod.excludedFeatureSteps"), ""))
	if len(d.localDirs()) > 0 || b.client.excludedSteps && slices.Contains(excluded, featurePackage+"LocalDirsFeatureStep") {
		return nil
	}
	tmpfs, err := b.given.Bool(conf.LocalDirsTmpfs, false)
	d.addLocalDirs(localDirsOf(o), tmpfs)
	return err
}

// disableConfigMap leaves executors without a folder of configuration.
var disableConfigMap = conf.Executor.Key("disableConfigMap")

// localDirsOf returns the folders for scratch space in the driver, comma-separated.
func localDirsOf(o Objects) string {
	driver := o.Pod.Spec.Containers[len(o.Pod.Spec.Containers)-1]
	for _, variable := range slices.Backward(driver.Env) {
		if variable.Name == localDirsVariable {
			return variable.Value
		}
	}
	return o.Properties.Get(conf.LocalDir, o.Names.localDir())
}
