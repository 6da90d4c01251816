// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// executorConfVolume is the volume with the configuration of executors, which is mounted at confFolder.
const executorConfVolume = "spark-conf-volume-exec"

// AsSparkMakes adds to an executor pod from the template what Spark adds when it creates the pod, as far as the API
// server or the Pod Security Standards check it: volumes, mounts, and whether processes may gain privileges. The first
// container has to be Spark's.
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

// mountExecutorDirs mounts Spark's configuration into an executor and, unless it has a volume for it, scratch space.
// Executors use the same folders for scratch space as the driver, from its environment variable (LocalDirsFeatureStep).
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

// disableConfigMap is the property that turns off the configuration folder of executors.
var disableConfigMap = conf.Executor.Key("disableConfigMap")

// localDirsOf returns the driver's folders for scratch space, comma-separated.
func localDirsOf(o Objects) string {
	driver := o.Pod.Spec.Containers[len(o.Pod.Spec.Containers)-1]
	for _, variable := range slices.Backward(driver.Env) {
		if variable.Name == localDirsVariable {
			return variable.Value
		}
	}
	return o.Properties.Get(conf.LocalDir, o.Names.localDir())
}
