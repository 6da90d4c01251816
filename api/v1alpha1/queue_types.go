// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fluxcd/pkg/apis/meta"
)

// SparkQueue is a queue in a tree of queues with quota. Leaf queues admit applications; the others hold quota that the
// queues below them share.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=sparkqueues,singular=sparkqueue,scope=Cluster,shortName=sgq,categories=sparkgate
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="PARENT",type=string,JSONPath=`.spec.parent`
// +kubebuilder:printcolumn:name="PENDING",type=integer,JSONPath=`.status.pending`
// +kubebuilder:printcolumn:name="ADMITTED",type=integer,JSONPath=`.status.admitted`
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.status.summary.cpu`,priority=1
// +kubebuilder:printcolumn:name="MEMORY",type=string,JSONPath=`.status.summary.memory`,priority=1
// +kubebuilder:printcolumn:name="GPU",type=string,JSONPath=`.status.summary.nvidia\.com/gpu`,priority=1
// +kubebuilder:printcolumn:name="SHARE",type=string,JSONPath=`.status.share`,priority=1
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="MESSAGE",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="set metadata.name to a DNS label of at most 63 characters: lower-case letters, digits and '-', beginning and ending with a letter or digit"
type SparkQueue struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the quota of this queue and its rules. The operator never writes it.
	// +optional
	// +kubebuilder:default={}
	Spec SparkQueueSpec `json:"spec,omitempty"`

	// status is what the operator has counted.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	// +structType=atomic
	Status SparkQueueStatus `json:"status,omitempty"`
}

// SparkQueueList is a list of SparkQueues.
//
// +kubebuilder:object:root=true
type SparkQueueList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SparkQueue `json:"items"`
}

// SparkQueueSpec is the quota of a queue and the rules by which it is granted.
// +kubebuilder:validation:XValidation:rule="!has(self.unlimited) || !self.unlimited || !has(self.parent) && !has(self.flavors)",message="set unlimited only where neither parent nor flavors is set: remove unlimited, or those"
type SparkQueueSpec struct {
	// parent is the queue above this one; absent for the root of a tree.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Parent string `json:"parent,omitempty"`

	// weight is the weight of this queue among its siblings, if the parent sets fairSharing. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Weight *int32 `json:"weight,omitempty"`

	// flavors are the flavors (classes of nodes) of this queue and the quota in each, in order of preference. The
	// flavor "default" is built in. A tree in which no queue has quota admits nothing, unless its root is unlimited.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Flavors []FlavorQuota `json:"flavors,omitempty"`

	// flavorPreference is how a flavor is chosen if an application fits several: InOrder (default: the first in which
	// it fits), LeastBorrowing or LeastPreemption.
	// +optional
	// +kubebuilder:validation:Enum=InOrder;LeastBorrowing;LeastPreemption
	FlavorPreference FlavorPreference `json:"flavorPreference,omitempty"`

	// unlimited lets the queues of the tree use any amount of resources for which no queue of the tree has a quota.
	// Only for a root without flavors. Default: false.
	// +optional
	Unlimited bool `json:"unlimited,omitempty"`

	// maxRunning is the maximum number of admitted applications. Default: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MaxRunning *int32 `json:"maxRunning,omitempty"`

	// strategy is BestEffortFIFO (default: applications that fit may overtake one that does not) or StrictFIFO.
	// +optional
	// +kubebuilder:validation:Enum=BestEffortFIFO;StrictFIFO
	Strategy QueueStrategy `json:"strategy,omitempty"`

	// fairSharing shares the quota of this queue among its children by their weights. If it is absent, the order is by
	// priority, then by time.
	// +optional
	FairSharing *FairSharing `json:"fairSharing,omitempty"`

	// headTimeout is how long the first application in the queue may be overtaken before quota is reserved for it. 0s
	// reserves at once. With StrictFIFO, nothing is reserved beyond this queue's own nominal quota. Default: 10m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set headTimeout to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	HeadTimeout *Duration `json:"headTimeout,omitempty"`

	// preemption is which applications a pending application of this queue may preempt.
	// +optional
	Preemption *QueuePreemption `json:"preemption,omitempty"`

	// stopPolicy is None (default: the queue admits applications), Hold (it admits no more) or HoldAndDrain (running
	// applications are also stopped).
	// +optional
	// +kubebuilder:validation:Enum=None;Hold;HoldAndDrain
	StopPolicy StopPolicy `json:"stopPolicy,omitempty"`

	// namespaceSelector selects the namespaces whose applications may use this queue. {} selects all namespaces; if it
	// is absent, none is selected.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!has(self.matchLabels) || size('%s'.format([self.matchLabels])) <= 16384) && (!has(self.matchExpressions) || size(self.matchExpressions) <= 64 && self.matchExpressions.all(e, size(e.key) <= 317 && size(e.operator) <= 16 && (!has(e.values) || size('%s'.format([e.values])) <= 16384)))",message="set namespaceSelector with at most 64 expressions, and with labels or values of at most 16384 characters together"
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`

	// priorityClassNames are the PriorityClasses that applications may use, in spec.queue and in their pods. Default:
	// all but system-*. The default class of the cluster is always allowed.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	PriorityClassNames []string `json:"priorityClassNames,omitempty"`
}

// QueueStrategy is the order in which a queue admits applications.
type QueueStrategy string

// Values of strategy.
const (
	BestEffortFIFO QueueStrategy = "BestEffortFIFO"
	StrictFIFO     QueueStrategy = "StrictFIFO"
)

// StopPolicy is whether a queue admits applications.
type StopPolicy string

// Values of stopPolicy.
const (
	StopPolicyNone         StopPolicy = "None"
	StopPolicyHold         StopPolicy = "Hold"
	StopPolicyHoldAndDrain StopPolicy = "HoldAndDrain"
)

// FlavorQuota is the quota in one flavor.
type FlavorQuota struct {
	// name of the flavor: "default", or a SparkFlavor.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// quotas by resource.
	// +required
	// +listType=map
	// +listMapKey=resource
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Quotas []ResourceQuota `json:"quotas"`
}

// The rules of the quantities below check the sign in the text, which is the only cheap way for a field that is an
// integer or a string. The patterns exclude exponents such as 1e999999999, with which calculations would not end.

// ResourceQuota is the quota of one resource in one flavor.
type ResourceQuota struct {
	// resource is a Kubernetes resource: cpu, memory, ephemeral-storage, hugepages-<size>, pods, or an extended
	// resource with a domain, such as nvidia.com/gpu.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self in ['cpu', 'memory', 'ephemeral-storage', 'pods'] || self.startsWith('hugepages-') || self.matches('^[a-z0-9.-]+/[A-Za-z0-9._-]+$')",message="set resource to cpu, memory, ephemeral-storage, pods, hugepages-<size>, or a name with a domain such as nvidia.com/gpu",messageExpression="'set resource to cpu, memory, ephemeral-storage, pods, hugepages-<size>, or a name with a domain such as nvidia.com/gpu' + (self.lowerAscii().contains('cpu') ? '; did you mean cpu?' : self.lowerAscii().contains('core') ? '; did you mean cpu?' : self.lowerAscii().contains('mem') ? '; did you mean memory?' : self.lowerAscii().contains('gpu') ? '; did you mean nvidia.com/gpu?' : self.lowerAscii().contains('pod') ? '; did you mean pods?' : self.lowerAscii().contains('storage') ? '; did you mean ephemeral-storage?' : self.lowerAscii().contains('disk') ? '; did you mean ephemeral-storage?' : '')"
	Resource string `json:"resource"`

	// nominal is the quota of this queue itself. The quota of its children is added to it.
	// +required
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^[0-9.]{1,18}([KMGTPE]i|[numkMGTPE]|[eE][0-9]{1,2})?$`
	// +kubebuilder:validation:XValidation:rule="!'%s'.format([self]).startsWith('-')",message="set nominal to a quantity of zero or more, such as 8 or 32Gi"
	Nominal resource.Quantity `json:"nominal"`

	// borrowingLimit is the maximum that this queue and its children may use above their nominal quota. 0 forbids
	// borrowing. Default: no limit.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^[0-9.]{1,18}([KMGTPE]i|[numkMGTPE]|[eE][0-9]{1,2})?$`
	// +kubebuilder:validation:XValidation:rule="!'%s'.format([self]).startsWith('-')",message="set borrowingLimit to a quantity of zero or more, such as 8 or 32Gi"
	BorrowingLimit *resource.Quantity `json:"borrowingLimit,omitempty"`

	// lendingLimit is the maximum of this quota that other queues may borrow. Default: all.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^[0-9.]{1,18}([KMGTPE]i|[numkMGTPE]|[eE][0-9]{1,2})?$`
	// +kubebuilder:validation:XValidation:rule="!'%s'.format([self]).startsWith('-')",message="set lendingLimit to a quantity of zero or more, such as 8 or 32Gi"
	LendingLimit *resource.Quantity `json:"lendingLimit,omitempty"`
}

// SparkQueueStatus is what the operator has counted.
type SparkQueueStatus struct {
	// observedGeneration is the generation of the spec that the conditions describe; -1 until the operator has looked
	// at it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, Reconciling and Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// pending is the number of applications that wait in this queue and the queues below it, without those that
	// request more than the queue could ever hold.
	// +optional
	// +kubebuilder:default=0
	Pending int32 `json:"pending"`

	// admitted is the number of applications of this queue and the queues below it that hold quota.
	// +optional
	// +kubebuilder:default=0
	Admitted int32 `json:"admitted"`

	// elastic counts the executors above the base gangs of applications of this queue and the queues below it. Absent
	// if no application has or wants any.
	// +optional
	Elastic *ElasticUsage `json:"elastic,omitempty"`

	// unmanagedPods counts the Spark pods of guarded namespaces that belong to no application, of this queue and the
	// queues below it. Drivers among them also count as applications. Absent if there are none.
	// +optional
	UnmanagedPods *UnmanagedPods `json:"unmanagedPods,omitempty"`

	// usage is the usage by flavor and resource.
	// +optional
	// +listType=atomic
	Usage []QueueUsage `json:"usage,omitempty"`

	// summary is used/nominal by resource, over all flavors, for the printed columns. nominal includes that of the
	// children.
	// +optional
	Summary map[string]string `json:"summary,omitempty"`

	// share is how much this queue borrows of what its parent could have, for the resource with the largest such part,
	// divided by its weight: 0, 0.25, or Infinity if the parent could have nothing. Absent for a root.
	// +optional
	Share string `json:"share,omitempty"`

	// heads are the first applications in the queue, at most 20. They are refreshed at a limited rate.
	// +optional
	// +listType=atomic
	Heads []QueueHead `json:"heads,omitempty"`

	// ledger protects the grants of a tree against operators that have been replaced: it is compared and swapped before
	// a grant is given. Only root queues have it.
	// +optional
	Ledger *Ledger `json:"ledger,omitempty"`

	// lastHandledReconcileAt echoes the annotation reconcile.fluxcd.io/requestedAt.
	meta.ReconcileRequestStatus `json:",inline"`
}

// QueueUsage is the usage of one resource in one flavor.
type QueueUsage struct {
	// flavor is the name of the flavor.
	// +required
	Flavor string `json:"flavor"`
	// resource is the name of the resource.
	// +required
	Resource string `json:"resource"`
	// used is what this queue and the queues below it use.
	// +required
	Used resource.Quantity `json:"used"`
	// nominal is the nominal quota, including that of the children; absent if there is no limit.
	// +optional
	Nominal *resource.Quantity `json:"nominal,omitempty"`
	// borrowed is what is used above nominal.
	// +optional
	Borrowed *resource.Quantity `json:"borrowed,omitempty"`
	// lent is the part of nominal that is unused but not available now, because other queues have borrowed it.
	// +optional
	Lent *resource.Quantity `json:"lent,omitempty"`
	// reserved is the part of the free quota that is reserved for applications of this queue and the queues below it:
	// for one that has waited for its headTimeout, or for one that preempts others. Absent if there is none.
	// +optional
	Reserved *resource.Quantity `json:"reserved,omitempty"`
}

// GetConditions returns the conditions, for helpers of Flux and kstatus.
func (q *SparkQueue) GetConditions() []metav1.Condition { return q.Status.Conditions }

// SetConditions replaces the conditions.
func (q *SparkQueue) SetConditions(conditions []metav1.Condition) { q.Status.Conditions = conditions }

// SparkFlavor is a class of nodes, such as on-demand, spot or gpu.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=sparkflavors,singular=sparkflavor,scope=Cluster,shortName=sgflavor,categories=sparkgate
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="set metadata.name to a DNS label of at most 63 characters: lower-case letters, digits and '-', beginning and ending with a letter or digit"
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'default'",message="choose another metadata.name: the flavor default is built in and has no labels"
type SparkFlavor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the nodes.
	// +optional
	Spec SparkFlavorSpec `json:"spec,omitempty"`
}

// SparkFlavorList is a list of SparkFlavors.
//
// +kubebuilder:object:root=true
type SparkFlavorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SparkFlavor `json:"items"`
}

// SparkFlavorSpec describes a class of nodes.
type SparkFlavorSpec struct {
	// nodeLabels are the labels of these nodes. They become node selectors of the pods that are placed in this flavor.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="set nodeLabels with names of at most 317 characters and values of at most 63"
	NodeLabels map[string]string `json:"nodeLabels,omitempty"`

	// nodeTaints are the taints of these nodes. A pod is placed in this flavor only if its own tolerations, or those of
	// the flavor, tolerate all of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(t, size(t.key) <= 317 && (!has(t.value) || size(t.value) <= 63) && size(t.effect) <= 16)",message="set nodeTaints with keys of at most 317 characters and values of at most 63"
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.key != '' && t.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",message="set nodeTaints with a key each, and with effect NoSchedule, PreferNoSchedule or NoExecute"
	NodeTaints []corev1.Taint `json:"nodeTaints,omitempty"`

	// tolerations are added to the pods that are placed in this flavor.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(t, (!has(t.key) || size(t.key) <= 317) && (!has(t.value) || size(t.value) <= 63) && (!has(t.effect) || size(t.effect) <= 16) && (!has(t.operator) || size(t.operator) <= 16))",message="set tolerations with keys of at most 317 characters and values of at most 63"
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.operator) || t.operator in ['', 'Exists', 'Equal', 'Lt', 'Gt'])",message="set tolerations with operator Exists or Equal"
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.effect) || t.effect in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'])",message="set tolerations with effect NoSchedule, PreferNoSchedule or NoExecute, or without effect to tolerate all of them"
	// +kubebuilder:validation:XValidation:rule="self.all(t, has(t.key) && t.key != '' || has(t.operator) && t.operator == 'Exists')",message="set tolerations with a key each, or with operator Exists to tolerate all taints"
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.value) || t.value == '' || !has(t.operator) || t.operator != 'Exists')",message="set tolerations without value where operator is Exists, or with operator Equal"
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.tolerationSeconds) || has(t.effect) && t.effect == 'NoExecute')",message="set tolerations with effect NoExecute where tolerationSeconds is set, or without tolerationSeconds"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}
