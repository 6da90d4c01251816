// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// PodRole has the fields that driver and executors have in common.
type PodRole struct {
	// image overrides spec.image for this role.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`

	// cores is the number of task slots, and also the CPU request unless coreRequest is set. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Cores *int32 `json:"cores,omitempty"`

	// coreRequest is the CPU request in cores, such as 200m, 0.5 or 2. Default: cores.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+m|[0-9]+([.][0-9]+)?)$')",message="set coreRequest to a number of cores such as 200m, 0.5 or 2, in quotes"
	// +kubebuilder:validation:MaxLength=32
	CoreRequest string `json:"coreRequest,omitempty"`

	// coreLimit is the CPU limit in cores, such as 500m or 2. Default: no limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+m|[0-9]+([.][0-9]+)?)$')",message="set coreLimit to a number of cores such as 200m, 0.5 or 2, in quotes"
	// +kubebuilder:validation:MaxLength=32
	CoreLimit string `json:"coreLimit,omitempty"`

	// memory is the size of the Java heap in Spark's notation: a whole number and k, m, g or t (binary: 1g is 1024m).
	// Default: 1g.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([bBkKmMgGtTpP][bB]?)?$')",message="set memory in Spark's notation: a whole number followed by k, m, g or t, such as 512m or 4g"
	// +kubebuilder:validation:MaxLength=32
	Memory string `json:"memory,omitempty"`

	// memoryOverhead is the memory outside of the heap, in Spark's notation. Default: memoryOverheadFactor × memory,
	// but at least 384m.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([bBkKmMgGtTpP][bB]?)?$')",message="set memoryOverhead in Spark's notation: a whole number followed by k, m, g or t, such as 512m or 4g"
	// +kubebuilder:validation:MaxLength=32
	MemoryOverhead string `json:"memoryOverhead,omitempty"`

	// javaOptions are additional options of the Java virtual machine. The heap size (-Xmx) is set by memory.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	JavaOptions string `json:"javaOptions,omitempty"`

	// labels are added to the pods. Labels of Spark and of sparkgate.io are reserved.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="set labels with names of at most 317 characters and values of at most 63"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are added to the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 65536)",message="set annotations with names of at most 317 characters and values of at most 65536"
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set annotations of at most 196608 characters in all"
	Annotations map[string]string `json:"annotations,omitempty"`

	// env are environment variables of the Spark container.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self.map(e, [e.name, has(e.value) ? e.value : ''])])) <= 196608",message="set env of at most 196608 characters in all: put large files into the image, a volume or a ConfigMap"
	Env []EnvVar `json:"env,omitempty"`

	// envFrom takes all entries of ConfigMaps or Secrets as environment variables of the Spark container, as in a
	// container's envFrom.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:Type=object
	// +kubebuilder:validation:items:XPreserveUnknownFields
	EnvFrom []runtime.RawExtension `json:"envFrom,omitempty"`

	// gpu requests accelerators for each pod.
	// +optional
	GPU *GPU `json:"gpu,omitempty"`

	// volumes are volumes of the pods, as in a pod's spec.volumes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:Type=object
	// +kubebuilder:validation:items:XPreserveUnknownFields
	Volumes []runtime.RawExtension `json:"volumes,omitempty"`

	// volumeMounts are volume mounts of the Spark container, as in a container's volumeMounts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:Type=object
	// +kubebuilder:validation:items:XPreserveUnknownFields
	VolumeMounts []runtime.RawExtension `json:"volumeMounts,omitempty"`

	// nodeSelector are the labels that a node must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="set nodeSelector with names of at most 317 characters and values of at most 63"
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations let the pods run on tainted nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(t, (!has(t.key) || size(t.key) <= 317) && (!has(t.value) || size(t.value) <= 63) && (!has(t.effect) || size(t.effect) <= 16) && (!has(t.operator) || size(t.operator) <= 16))",message="set tolerations with keys of at most 317 characters and values of at most 63"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// affinity is the affinity of the pods, as in a pod's spec.affinity.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Affinity *runtime.RawExtension `json:"affinity,omitempty"`

	// template is a PodTemplateSpec on which the pods are based, for everything that has no field here. Spark's
	// container is the one named spark-kubernetes-driver or spark-kubernetes-executor, else the first. Its cpu and
	// memory cannot be set here; use cores, coreRequest, coreLimit, memory and memoryOverhead.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Template *runtime.RawExtension `json:"template,omitempty"`
}

// EnvVar is an environment variable. It has the form of Kubernetes' own type, whose schema would add defaults to the
// run template.
type EnvVar struct {
	// name of the variable.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// value is the value of the variable. $(NAME) in it is replaced by the value of that variable.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Value string `json:"value,omitempty"`

	// valueFrom takes the value from a ConfigMap, a Secret or the pod, as in a container's env.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	ValueFrom *runtime.RawExtension `json:"valueFrom,omitempty"`
}

// GPU requests accelerators.
type GPU struct {
	// name is the name of the Kubernetes resource, such as nvidia.com/gpu.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// quantity is the number of accelerators for each pod.
	// +required
	// +kubebuilder:validation:Minimum=1
	Quantity int64 `json:"quantity"`
}

// DriverSpec describes the driver pod.
type DriverSpec struct {
	PodRole `json:",inline"`

	// serviceAccountName is the service account with which the driver creates its executors. Default: the account
	// "default" of the namespace.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// podName is the name of the driver pod. Default: a name derived from application, run and attempt, so that two
	// attempts never collide. With a fixed name only one attempt's pod can exist at a time.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	PodName string `json:"podName,omitempty"`
}

// ExecutorSpec describes the executor pods.
type ExecutorSpec struct {
	PodRole `json:",inline"`

	// instances is the number of executors. Under dynamic allocation it is a lower bound of the initial number.
	// Default: 2 (Spark's default).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Instances *int32 `json:"instances,omitempty"`

	// deleteOnTermination is whether Spark deletes executor pods that have ended. Default: true.
	// +optional
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`
}

// Dependencies are the libraries and files that a job needs in addition to its main file. All are URIs with a scheme.
type Dependencies struct {
	// jars are added to the class path of driver and executors.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set jars of at most 196608 characters in all"
	Jars []string `json:"jars,omitempty"`

	// files are copied into the working folder of driver and executors; those with local:// only into that of the
	// driver.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set files of at most 196608 characters in all"
	Files []string `json:"files,omitempty"`

	// pyFiles are .py, .zip or .egg files added to the Python path.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set pyFiles of at most 196608 characters in all"
	PyFiles []string `json:"pyFiles,omitempty"`

	// archives are unpacked in the working folder of driver and executors; those with local:// only in that of the
	// driver.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set archives of at most 196608 characters in all"
	Archives []string `json:"archives,omitempty"`

	// packages are Maven coordinates group:artifact:version, which the driver resolves when it starts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=512
	Packages []string `json:"packages,omitempty"`

	// excludePackages are pairs group:artifact that are left out when packages are resolved.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=512
	ExcludePackages []string `json:"excludePackages,omitempty"`

	// repositories are additional Maven repositories.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=2048
	Repositories []string `json:"repositories,omitempty"`
}

// DynamicAllocation lets Spark add and remove executors at run time.
type DynamicAllocation struct {
	// enabled turns dynamic allocation on.
	// +required
	Enabled bool `json:"enabled"`

	// initialExecutors is the number of executors at the start. Default: minExecutors.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	InitialExecutors *int32 `json:"initialExecutors,omitempty"`

	// minExecutors is the smallest number of executors. Default: 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MinExecutors *int32 `json:"minExecutors,omitempty"`

	// maxExecutors is the largest number of executors. It has no default: a job without it, here or in sparkConf, is
	// refused, because the quota that it needs would have no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	MaxExecutors *int32 `json:"maxExecutors,omitempty"`

	// shuffleTrackingTimeout is how long an executor with shuffle data may be idle before it is removed. Default: no
	// limit.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set shuffleTrackingTimeout to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	ShuffleTrackingTimeout *Duration `json:"shuffleTrackingTimeout,omitempty"`
}

// SparkConfSource takes the value of a Spark property from a Secret.
type SparkConfSource struct {
	// name is the name of the Spark property.
	// +required
	// +kubebuilder:validation:Pattern=`^spark\.[^\s=:]+$`
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// secretKeyRef is a key of a Secret in the same namespace.
	// +required
	SecretKeyRef SecretKeyReference `json:"secretKeyRef"`
}

// SecretKeyReference is a key of a Secret in the same namespace.
type SecretKeyReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the key in the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// InlineConfigMap is a set of small files that are mounted into driver and executors.
type InlineConfigMap struct {
	// name identifies the set within the application.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`

	// mountPath is the folder in which the files are mounted.
	// +required
	// +kubebuilder:validation:Pattern=`^/.+`
	// +kubebuilder:validation:MaxLength=512
	MountPath string `json:"mountPath"`

	// data are the files by name.
	// +required
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 131072)",message="set data with names of at most 253 characters and values of at most 131072"
	Data map[string]string `json:"data"`
}

// Monitoring turns on metrics endpoints.
type Monitoring struct {
	// prometheus exposes Spark's metrics in the Prometheus format.
	// +optional
	Prometheus *PrometheusMonitoring `json:"prometheus,omitempty"`
}

// PrometheusMonitoring exposes Spark's metrics in the Prometheus format.
type PrometheusMonitoring struct {
	// port is the port of the JMX exporter in driver and executors. Only with jmxExporterJar; Spark's own servlet uses
	// the port of the web interface. Default: 8090.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`

	// jmxExporterJar is the path of the JMX exporter in the image. Driver and executors load it as a Java agent. If it
	// is absent, Spark's own servlet is used.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	JMXExporterJar string `json:"jmxExporterJar,omitempty"`

	// jmxExporterConfig is the path of the JMX exporter's configuration in the containers, for example a file of
	// configMaps. Only with jmxExporterJar. Default: rules for Spark's own metrics.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	JMXExporterConfig string `json:"jmxExporterConfig,omitempty"`
}
