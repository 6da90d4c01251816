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

// CompleteExecutor adds to an executor created from the template what Spark adds to it and the API server or Pod
// Security Standards look at: all volumes, with their mounts, the port, how cpu and memory are resized, and whether
// processes may gain privileges. The first container is Spark's.
func CompleteExecutor(executor *corev1.Pod, o Objects) error {
	if o.Workers {
		return nil // Spark adds nothing to them
	}
	c, p := clientOf(o.SparkVersion), o.Properties
	d := draft{pod: executor, container: executor.Spec.Containers[0]}
	d.mountSecrets(p, conf.Executor)
	volumes, err := volumesOf(c, p, conf.Executor)
	if err != nil {
		return err
	}
	for _, v := range volumes {
		d.mount(v.Volume, v.Mount)
	}
	if name, ok := p.Lookup(conf.ExecutorHadoopMap); ok {
		d.mountHadoop(name)
	}
	if err := d.mountExecutorDirs(c, o); err != nil {
		return err
	}
	if err := setPrivileges(c, p, conf.Executor, &d.container); err != nil {
		return err
	}
	err = d.addExecutorPort(p)
	d.addResizePolicy(c)
	executor.Spec.Containers[0] = d.container
	return err
}

// ExecutorPortName is the name of the port of executors.
const ExecutorPortName = "blockmanager"

// addExecutorPort names the port of the block manager.
func (d *draft) addExecutorPort(p conf.Properties) error {
	number, err := executorPort(p)
	if number > 0 {
		d.container.Ports = append(d.container.Ports, corev1.ContainerPort{Name: ExecutorPortName, ContainerPort: number, Protocol: corev1.ProtocolTCP})
	}
	return err
}

// addResizePolicy says that a container whose cpu or memory is changed need not start again.
func (d *draft) addResizePolicy(c client) {
	if !c.resizePolicy {
		return
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		d.container.ResizePolicy = append(d.container.ResizePolicy, corev1.ContainerResizePolicy{ResourceName: name, RestartPolicy: corev1.NotRequired})
	}
}

// mountExecutorDirs mounts Spark's configuration into an executor and, unless it has a volume for it, scratch space.
// Executors use the same folders for scratch space as the driver, from its environment variable (LocalDirsFeatureStep).
func (d *draft) mountExecutorDirs(c client, o Objects) error {
	without, err := o.Properties.Bool(disableConfigMap, false)
	if err != nil {
		return err
	}
	if !without {
		d.mount(configMapVolume(executorConfVolume, o.Names.Prefix+"-exec-conf-map"), corev1.VolumeMount{MountPath: confFolder})
	}
	excluded := conf.Split(o.Properties.Get(conf.Executor.Key("pod.excludedFeatureSteps"), ""))
	if len(d.localDirs()) > 0 || c.excludedSteps && slices.Contains(excluded, featurePackage+"LocalDirsFeatureStep") {
		return nil
	}
	tmpfs, err := o.Properties.Bool(conf.LocalDirsTmpfs, false)
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
