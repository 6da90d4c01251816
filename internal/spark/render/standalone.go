// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

const (
	// sparkClass starts a class of Spark. The scripts in sbin start it in the background, and images made from the wheel
	// do not have them.
	sparkClass  = "/opt/spark/bin/spark-class"
	workerClass = "org.apache.spark.deploy.worker.Worker"
	// WorkerUIPort is the port of a worker's web interface.
	WorkerUIPort = 8081
	// DaemonMemory is the heap of a worker itself, in MiB, besides what it has for executors.
	DaemonMemory = 512
	// workFolder has the working folders and the scratch space of a worker's executors.
	workFolder = "/var/spark"
	// daemonMemory is the variable with the heap of a master or a worker, podIP one with the address of the pod.
	daemonMemory = "SPARK_DAEMON_MEMORY"
	podIP        = "SPARK_DRIVER_BIND_ADDRESS"
)

// decommission has a worker decommissioned before it ends, whoever deletes its pod: Spark starts no more tasks in its
// executors, which end when they have none. It waits for them as long as the pod's grace period lets it. Only the virtual
// machine gets the signal: from tini it would get another one, which kills it while it handles the first.
const decommission = `for p in /proc/[0-9]*; do grep -q '^java$' $p/comm && grep -q deploy.worker.Worker $p/cmdline && kill -PWR ${p#/proc/}; done 2>/dev/null
sleep 1; while grep -q '[C]oarseGrainedExecutorBackend' /proc/[0-9]*/cmdline 2>/dev/null; do sleep 1; done`

// standalone makes the driver the master of a standalone cluster, and the executors its workers. A master has no stable
// address of its own to listen at, so it listens at that of its pod, and workers find it by the Service.
func standalone(b *build) {
	kind, _ := server.KindOf(&b.in.App.Spec)
	options := []string{"--host", "$(" + podIP + ")", "--properties-file", confFolder + "/" + propertiesFile}
	ui := b.given.Get(conf.UIPort, strconv.Itoa(DefaultUIPort))
	b.driver.container.Args = append([]string{sparkClass, kind.Class, "--port", strconv.Itoa(int(kind.Port)), "--webui-port", ui}, options...)
	b.driver.env(daemonMemory, b.given.Get(conf.DriverMemory, strconv.Itoa(defaultMemory)+"m"))

	b.driver.daemonOptions(b.given, conf.Driver)

	w := draft{pod: b.template, container: b.template.Spec.Containers[0]}
	w.container.Image, w.container.ImagePullPolicy = b.given.First(b.driver.container.Image, conf.Executor.Key("container.image"), conf.Image), b.driver.container.ImagePullPolicy
	w.container.Args = append([]string{sparkClass, workerClass, "--webui-port", strconv.Itoa(WorkerUIPort),
		"--cores", b.given.Get(conf.ExecutorCores, "1"), "--memory", b.given.Get(conf.ExecutorMemory, strconv.Itoa(defaultMemory)+"m"),
		"--work-dir", workFolder + "/work"}, options...)
	w.container.Args = append(w.container.Args, fmt.Sprintf("%s%s.%s.svc:%d", kind.Scheme, b.in.App.Name, b.in.App.Namespace, kind.Port))
	w.env("SPARK_USER", defaultUser)
	w.env("SPARK_CONF_DIR", confFolder)
	w.mount(corev1.Volume{Name: "spark-work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}, corev1.VolumeMount{MountPath: workFolder})
	w.env("SPARK_LOCAL_DIRS", workFolder+"/local")
	w.env(daemonMemory, strconv.Itoa(DaemonMemory)+"m")
	w.daemonOptions(b.given, conf.Executor)
	w.container.Env = append(w.container.Env, corev1.EnvVar{Name: podIP, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"},
	}})
	w.container.ReadinessProbe = &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(WorkerUIPort)}}, PeriodSeconds: serverProbePeriod,
	}
	if on, err := b.given.Bool(conf.DecommissionEnabled, false); err == nil && on && w.container.Lifecycle == nil {
		w.container.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", decommission}}}}
	}
	w.pod.Spec.RestartPolicy, w.pod.Spec.ImagePullSecrets = corev1.RestartPolicyNever, b.driver.pod.Spec.ImagePullSecrets
	w.addLabels(map[string]string{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor, v1alpha1.SparkSelectorLabel: b.names.ApplicationID})
	w.pod.Spec.Containers[0] = w.container
	for _, pod := range []*corev1.Pod{b.driver.pod, w.pod} {
		pod.Spec.EnableServiceLinks = ptr.To(false) // a Service called spark-master would set SPARK_MASTER_PORT
		if pod.Spec.AutomountServiceAccountToken == nil {
			pod.Spec.AutomountServiceAccountToken = ptr.To(false) // whoever reaches the cluster runs programs in it
		}
	}
}

// daemonOptions passes the options of a role's Java virtual machine to a master or a worker.
func (d *draft) daemonOptions(p conf.Properties, role conf.Role) {
	if options := p.Get("spark."+string(role)+".extraJavaOptions", ""); options != "" {
		d.env("SPARK_DAEMON_JAVA_OPTS", options)
	}
}

// shareConf mounts the configuration of the master into the workers.
func shareConf(b *build) {
	if !server.IsMaster(&b.in.App.Spec) {
		return
	}
	for _, volume := range b.driver.pod.Spec.Volumes {
		if volume.Name == confVolume && !slices.ContainsFunc(b.template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == confVolume }) {
			b.template.Spec.Volumes = append(b.template.Spec.Volumes, volume)
			w := &b.template.Spec.Containers[0]
			w.VolumeMounts = append(w.VolumeMounts, corev1.VolumeMount{Name: confVolume, MountPath: confFolder})
		}
	}
}
