// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SparkApplication is one Spark job. It runs when it is applied, and again when its run template changes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.status.times.finished`
// +kubebuilder:resource:path=sparkapplications,singular=sparkapplication,shortName=sgapp,categories=sparkgate
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="STAGE",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="QUEUE",type=string,JSONPath=`.status.queue`
// +kubebuilder:printcolumn:name="RUN",type=integer,JSONPath=`.status.run`,priority=1
// +kubebuilder:printcolumn:name="ATTEMPT",type=integer,JSONPath=`.status.attempt`
// +kubebuilder:printcolumn:name="EXECUTORS",type=string,JSONPath=`.status.executors.summary`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="MESSAGE",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="set metadata.name to a DNS label of at most 63 characters: lower-case letters, digits and '-', beginning and ending with a letter or digit"
type SparkApplication struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the user wants to run. The operator never writes it.
	// +required
	Spec SparkApplicationSpec `json:"spec"`

	// status is what the operator has observed and done. Its default, observedGeneration -1, makes health checkers wait
	// until the operator has looked at the object.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	// +structType=atomic
	Status SparkApplicationStatus `json:"status,omitempty"`

	// Stub is set if most of metadata and spec was left out of this copy, because the object is too large to be kept in
	// memory. It is the operator's own note and not part of the API.
	Stub *Stub `json:"-"`
}

// Stub is what is known of an application or schedule that is too large to be kept in memory.
type Stub struct {
	// Size is the size of metadata and spec as JSON, in bytes.
	Size int `json:"-"`
	// SameTemplate reports whether its run template is the one of the current run. A schedule has none.
	SameTemplate bool `json:"-"`
}

// MaxApplicationSize is the maximum size of metadata and spec of an application or schedule together, as JSON, in
// bytes. Managed fields, and the copy that kubectl apply keeps in an annotation, do not count.
const MaxApplicationSize = 256 << 10

// SparkApplicationList is a list of SparkApplications.
//
// +kubebuilder:object:root=true
type SparkApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SparkApplication `json:"items"`
}

// ApplicationType is the language of the main program.
// +kubebuilder:validation:Enum=Java;Scala;Python;R
type ApplicationType string

// The languages of a main program.
const (
	JavaApplication   ApplicationType = "Java"
	ScalaApplication  ApplicationType = "Scala"
	PythonApplication ApplicationType = "Python"
	RApplication      ApplicationType = "R"
)

// SparkApplicationSpec is one job: what Spark runs (the run template), in which queue it waits, and how it is managed.
//
// +kubebuilder:validation:XValidation:rule="has(self.server) || has(self.mainApplicationFile)",fieldPath=".mainApplicationFile",reason="FieldValueRequired",message="set mainApplicationFile to the jar, Python or R file to run, or server to run a server of Spark"
type SparkApplicationSpec struct {
	// type is the language of the main program: Java, Scala, Python or R. Part of the run template.
	// +required
	Type ApplicationType `json:"type" sparkgate:"run"`

	// sparkVersion is the version of Spark in the image, such as 4.1.4. It determines how the driver is built. Part of
	// the run template.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+[.][0-9]+[.][0-9]+([-.][0-9A-Za-z.-]+)?$')",message="set sparkVersion to the whole version of the Spark in the image, such as 4.1.4"
	SparkVersion string `json:"sparkVersion" sparkgate:"run"`

	// image is the container image of driver and executors. driver.image and executor.image override it for one role.
	// Part of the run template.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image" sparkgate:"run"`

	// imagePullPolicy is Always, IfNotPresent or Never. Default: IfNotPresent (Spark's default). Part of the run
	// template.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty" sparkgate:"run"`

	// imagePullSecrets are the names of Secrets with registry credentials, in the same namespace. Part of the run
	// template.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty" sparkgate:"run"`

	// mainClass is the class with the main method; required for Java and Scala, not allowed for Python and R. Part of
	// the run template.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	MainClass string `json:"mainClass,omitempty" sparkgate:"run"`

	// mainApplicationFile is the jar, Python or R file to run, as a URI with a scheme: local:// for a file inside the
	// image, or a remote one such as https:// or s3a://. Required without server. Part of the run template.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	MainApplicationFile string `json:"mainApplicationFile,omitempty" sparkgate:"run"`

	// server runs a server of Spark instead of a program. It sets the class, and the defaults of other fields: readyWhen
	// Running, restartPolicy Always, driverService with the server's port, a readiness probe, and dynamicAllocation from
	// 0 to 10 executors unless executor.instances is set. How it is reached (allowedNamespaces, ingress, route) may change
	// at any time, all else not. Part of the run template.
	// +optional
	Server *Server `json:"server,omitempty" sparkgate:"run"`

	// clusterRef runs the program on a SparkCluster of the same namespace: its executors are processes in the workers, so
	// only the driver asks for quota. Part of the run template.
	// +optional
	ClusterRef *ClusterReference `json:"clusterRef,omitempty" sparkgate:"run"`

	// arguments are passed to the main program, in order, exactly as written. Part of the run template.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:MaxLength=131072
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set arguments of at most 196608 characters in all: put large files into the image, a volume or a ConfigMap"
	Arguments []string `json:"arguments,omitempty" sparkgate:"run"`

	// proxyUser is the Hadoop user to impersonate (spark-submit --proxy-user). Part of the run template.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ProxyUser string `json:"proxyUser,omitempty" sparkgate:"run"`

	// sparkConf holds Spark properties. A property that also has a typed field must have the same value there.
	// Properties that only the operator may set, such as spark.master, are refused. Part of the run template.
	// +optional
	// +kubebuilder:validation:MaxProperties=1024
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 512 && size(self[k]) <= 65536)",message="set sparkConf with names of at most 512 characters and values of at most 65536"
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set sparkConf of at most 196608 characters in all: put large files into the image, a volume or a ConfigMap"
	SparkConf map[string]string `json:"sparkConf,omitempty" sparkgate:"run"`

	// sparkConfFrom takes the values of Spark properties from Secrets, so that manifests contain no passwords. Part of
	// the run template.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	SparkConfFrom []SparkConfSource `json:"sparkConfFrom,omitempty" sparkgate:"run"`

	// hadoopConf holds Hadoop properties, without the prefix spark.hadoop. Part of the run template.
	// +optional
	// +kubebuilder:validation:MaxProperties=1024
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 512 && size(self[k]) <= 65536)",message="set hadoopConf with names of at most 512 characters and values of at most 65536"
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set hadoopConf of at most 196608 characters in all: put large files into the image, a volume or a ConfigMap"
	HadoopConf map[string]string `json:"hadoopConf,omitempty" sparkgate:"run"`

	// sparkConfigMap is the name of a ConfigMap whose files (log4j2.properties, metrics.properties, …) become Spark's
	// conf folder. Its spark-defaults.conf has the lowest precedence of all properties that users set. Part of the run
	// template.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SparkConfigMap string `json:"sparkConfigMap,omitempty" sparkgate:"run"`

	// hadoopConfigMap is the name of a ConfigMap with Hadoop's configuration files (core-site.xml, …). Part of the run
	// template.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	HadoopConfigMap string `json:"hadoopConfigMap,omitempty" sparkgate:"run"`

	// configMaps are small files that are written here and mounted into driver and executors. Part of the run template.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self.map(c, c.data)])) <= 196608",message="set configMaps of at most 196608 characters in all: put large files into the image, a volume or a ConfigMap"
	ConfigMaps []InlineConfigMap `json:"configMaps,omitempty" sparkgate:"run"`

	// deps are the libraries and files that the job needs in addition to its main file. Part of the run template.
	// +optional
	Deps *Dependencies `json:"deps,omitempty" sparkgate:"run"`

	// memoryOverheadFactor is the share of memory that is added for everything outside of the Java heap. Default: 0.1
	// for Java and Scala, 0.4 for Python and R (Spark's defaults). Part of the run template.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$')",message="set memoryOverheadFactor to a share such as 0.1, in quotes"
	// +kubebuilder:validation:MaxLength=16
	MemoryOverheadFactor string `json:"memoryOverheadFactor,omitempty" sparkgate:"run"`

	// driver describes the driver pod. Part of the run template.
	// +optional
	Driver DriverSpec `json:"driver,omitempty" sparkgate:"run"`

	// executor describes the executor pods. Part of the run template.
	// +optional
	Executor ExecutorSpec `json:"executor,omitempty" sparkgate:"run"`

	// dynamicAllocation lets Spark add and remove executors at run time. Part of the run template.
	// +optional
	DynamicAllocation *DynamicAllocation `json:"dynamicAllocation,omitempty" sparkgate:"run"`

	// monitoring turns on Spark's metrics endpoints. Part of the run template.
	// +optional
	Monitoring *Monitoring `json:"monitoring,omitempty" sparkgate:"run"`

	// podSecurity is the Pod Security Standard that driver and executors have to meet: Restricted (default), for which
	// empty security fields are filled in; Baseline; or None, which checks nothing. Part of the run template.
	// +optional
	// +kubebuilder:validation:Enum=Restricted;Baseline;None
	PodSecurity PodSecurity `json:"podSecurity,omitempty" sparkgate:"run"`

	// runID is any text. Changing it runs the job again. Part of the run template.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RunID string `json:"runID,omitempty" sparkgate:"run"`

	// queue is the queue in which the job waits for quota. Default: the annotation sparkgate.io/default-queue of the
	// namespace, else the queue "default". It may change while the job waits; later changes take effect with the next
	// attempt or run.
	// +optional
	Queue *QueueReference `json:"queue,omitempty"`

	// driverService creates a Service that is named after the application and selects the driver of the current attempt,
	// from the first start of a run to its end. May change at any time.
	// +optional
	DriverService *DriverService `json:"driverService,omitempty" sparkgate:"live"`

	// podDisruptionBudget is None (default), or Driver to create a PodDisruptionBudget that refuses voluntary evictions
	// of the driver. May change at any time.
	// +optional
	// +kubebuilder:validation:Enum=None;Driver
	PodDisruptionBudget DisruptionPolicy `json:"podDisruptionBudget,omitempty" sparkgate:"live"`

	// suspend set to true removes a waiting job from its queue, and stops a running one gracefully. Setting it to false
	// puts the job at the end of its queue; a stopped one continues with a new attempt. It has no effect on a finished
	// run. May change at any time.
	// +optional
	Suspend bool `json:"suspend,omitempty" sparkgate:"live"`

	// readyWhen is when the application becomes Ready: Succeeded (default), or Running for streaming jobs that never
	// end. May change at any time.
	// +optional
	// +kubebuilder:validation:Enum=Succeeded;Running
	ReadyWhen ReadyWhen `json:"readyWhen,omitempty" sparkgate:"live"`

	// onTemplateChange is what happens to a running job if its run template changes. Wait starts the new run after the
	// current one, Restart stops the current one, and Ignore lets it continue without a new run. Default: Wait; Restart
	// if readyWhen is Running. May change at any time.
	// +optional
	// +kubebuilder:validation:Enum=Wait;Restart;Ignore
	OnTemplateChange TemplateChangePolicy `json:"onTemplateChange,omitempty" sparkgate:"live"`

	// timeouts limit the stages of a run. May change at any time.
	// +optional
	Timeouts *Timeouts `json:"timeouts,omitempty" sparkgate:"live"`

	// restartPolicy is when and how often another attempt follows a failed one. Default: never. May change at any time.
	// +optional
	RestartPolicy *RestartPolicy `json:"restartPolicy,omitempty" sparkgate:"live"`

	// retention is whether, and for how long, the driver pod with its log, the ConfigMap and the claims of an attempt
	// are kept after it has ended. Default: for 24h after a failure, else for 1h. May change at any time.
	// +optional
	Retention *Retention `json:"retention,omitempty" sparkgate:"live"`

	// ttlAfterFinished is how long after the end of its run this object is deleted. It is not honoured on objects that
	// Flux, Argo CD or Helm track, because these would create the object again and so run the job again. Default: never. May
	// change at any time.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set ttlAfterFinished to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	TTLAfterFinished *Duration `json:"ttlAfterFinished,omitempty" sparkgate:"live"`

	// ui exposes Spark's web interface. May change at any time.
	// +optional
	UI *UserInterface `json:"ui,omitempty" sparkgate:"live"`
}

// PodSecurity is the Pod Security Standard of the pods.
type PodSecurity string

// Values of podSecurity.
const (
	PodSecurityRestricted PodSecurity = "Restricted"
	PodSecurityBaseline   PodSecurity = "Baseline"
	PodSecurityNone       PodSecurity = "None"
)

// DisruptionPolicy is which pods a PodDisruptionBudget protects.
type DisruptionPolicy string

// Values of podDisruptionBudget.
const (
	DisruptionNone   DisruptionPolicy = "None"
	DisruptionDriver DisruptionPolicy = "Driver"
)

// ReadyWhen is when an application becomes Ready.
type ReadyWhen string

// Values of readyWhen.
const (
	ReadyWhenSucceeded ReadyWhen = "Succeeded"
	ReadyWhenRunning   ReadyWhen = "Running"
)

// TemplateChangePolicy is what happens to a running job if its run template changes.
type TemplateChangePolicy string

// Values of onTemplateChange.
const (
	TemplateChangeWait    TemplateChangePolicy = "Wait"
	TemplateChangeRestart TemplateChangePolicy = "Restart"
	TemplateChangeIgnore  TemplateChangePolicy = "Ignore"
)

// TemplatePolicy returns onTemplateChange or its default.
func (s *SparkApplicationSpec) TemplatePolicy() TemplateChangePolicy {
	switch {
	case s.OnTemplateChange != "":
		return s.OnTemplateChange
	case s.ReadyWhen == ReadyWhenRunning:
		return TemplateChangeRestart
	}
	return TemplateChangeWait
}
