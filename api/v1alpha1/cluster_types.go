// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SparkCluster is a standalone cluster of Spark: a master and its workers, which wait for quota together.
//
// The operator runs it by a SparkApplication of the same name, whose driver is the master and whose executors are the
// workers.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.workers.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=sparkclusters,singular=sparkcluster,shortName=sgcluster,categories=sparkgate
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="STAGE",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="QUEUE",type=string,JSONPath=`.status.queue`
// +kubebuilder:printcolumn:name="WORKERS",type=string,JSONPath=`.status.workers`
// +kubebuilder:printcolumn:name="ADDRESS",type=string,JSONPath=`.status.address`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="MESSAGE",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="set metadata.name to a DNS label of at most 63 characters: lower-case letters, digits and '-', beginning with a letter and ending with a letter or digit"
type SparkCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the user wants to run. The operator never writes it.
	// +required
	Spec SparkClusterSpec `json:"spec"`

	// status is what the operator has observed and done.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status SparkClusterStatus `json:"status,omitempty"`
}

// SparkClusterList is a list of SparkClusters.
//
// +kubebuilder:object:root=true
type SparkClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SparkCluster `json:"items"`
}

// SparkClusterSpec is a cluster. The fields that it shares with a SparkApplication have the same meaning.
type SparkClusterSpec struct {
	// sparkVersion is the version of Spark in the image, such as 4.1.4. Programs that use the cluster need the same one.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+[.][0-9]+[.][0-9]+([-.][0-9A-Za-z.-]+)?$')",message="set sparkVersion to the whole version of the Spark in the image, such as 4.1.4"
	SparkVersion string `json:"sparkVersion"`

	// image is the container image of master and workers.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`

	// imagePullPolicy is Always, IfNotPresent or Never. Default: IfNotPresent.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// imagePullSecrets are the names of Secrets with registry credentials, in the same namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`

	// master describes the pod of the master. Its memory is the heap of the master.
	// +optional
	Master PodRole `json:"master,omitempty"`

	// workers describes the workers.
	// +optional
	Workers ClusterWorkers `json:"workers,omitempty"`

	// allowedNamespaces are the namespaces besides its own from which programs may use the cluster; "*" allows all. The
	// operator creates a NetworkPolicy for it.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule="self == '*' || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="set allowedNamespaces to names of namespaces, or to [\"*\"] for all"
	AllowedNamespaces []string `json:"allowedNamespaces,omitempty"`

	// sparkConf holds properties of master and workers.
	// +optional
	// +kubebuilder:validation:MaxProperties=1024
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 512 && size(self[k]) <= 65536)",message="set sparkConf with names of at most 512 characters and values of at most 65536"
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set sparkConf of at most 196608 characters in all: put large files into the image, a volume or a ConfigMap"
	SparkConf map[string]string `json:"sparkConf,omitempty"`

	// sparkConfFrom takes the values of properties from Secrets.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	SparkConfFrom []SparkConfSource `json:"sparkConfFrom,omitempty"`

	// podSecurity is the Pod Security Standard that master and workers have to meet: Restricted (default), Baseline or
	// None.
	// +optional
	// +kubebuilder:validation:Enum=Restricted;Baseline;None
	PodSecurity PodSecurity `json:"podSecurity,omitempty"`

	// queue is the queue in which the cluster waits for quota. Default: the annotation sparkgate.io/default-queue of the
	// namespace, else the queue "default".
	// +optional
	Queue *QueueReference `json:"queue,omitempty"`

	// suspend set to true stops the cluster and gives its quota back.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// ui exposes the web interface of the master.
	// +optional
	UI *UserInterface `json:"ui,omitempty"`

	// runID is any text. Changing it starts the cluster again.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RunID string `json:"runID,omitempty"`
}

// ClusterWorkers describes the workers of a cluster.
//
// +kubebuilder:validation:XValidation:rule="!has(self.max) || self.max >= (has(self.min) ? self.min : 1)",message="set workers.max to at least workers.min, whose default is 1"
// +kubebuilder:validation:XValidation:rule="!has(self.replicas) || self.replicas >= (has(self.min) ? self.min : 1) && self.replicas <= (has(self.max) ? self.max : has(self.min) ? self.min : 1)",message="set workers.replicas to a number from workers.min to workers.max; without workers.max, a cluster has workers.min workers"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscale) || has(self.max)",message="set workers.max with workers.autoscale: the largest number of workers"
type ClusterWorkers struct {
	PodRole `json:",inline"`

	// serviceAccountName is the service account of the workers, with whose rights programs run in the cluster. Default: the
	// account "default" of the namespace, without its token.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// min is the number of workers that the cluster always has, and for which it needs quota to start. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Min *int32 `json:"min,omitempty"`

	// max is the largest number of workers. Those above min start when the queue has quota for them, and may have to give
	// it back. Default: min. May change at any time between numbers above min.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Max *int32 `json:"max,omitempty"`

	// replicas is how many workers there should be now, from min to max. It is what kubectl scale and autoscalers set: leave
	// it out of the manifests in Git if they do. It has no effect with autoscale. Default: min. May change at any time.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Replicas *int32 `json:"replicas,omitempty"`

	// autoscale has the operator choose the number of workers, from min to max, by what programs with clusterRef may use.
	// May change at any time.
	// +optional
	Autoscale *ClusterAutoscale `json:"autoscale,omitempty"`
}

// ClusterAutoscale describes how the operator chooses the number of workers.
type ClusterAutoscale struct {
	// idleTimeout is how long a worker that is not needed may run no executors before it is ended. Default: 10m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set idleTimeout to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	IdleTimeout *Duration `json:"idleTimeout,omitempty"`
}

// SparkClusterStatus is what the operator has observed of a cluster.
type SparkClusterStatus struct {
	// observedGeneration is the generation of the spec that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, Reconciling and Stalled, and those that the stage of the cluster has besides, as of a
	// SparkApplication. Ready is True while the master is ALIVE and has at least workers.min workers that are.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// queue is the queue that was asked.
	// +optional
	Queue string `json:"queue,omitempty"`

	// address is the address of the master for programs, such as spark://etl.team-a:7077.
	// +optional
	Address string `json:"address,omitempty"`

	// workers is how many workers are ready, and how many there should be, as in 2/3.
	// +optional
	Workers string `json:"workers,omitempty"`

	// replicas is how many workers are ready, for autoscalers.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// selector selects the pods of the workers, for autoscalers.
	// +optional
	Selector string `json:"selector,omitempty"`
}

// ClusterReference names a SparkCluster.
type ClusterReference struct {
	// name of the SparkCluster, in the same namespace. The run waits until it is Ready.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
}
