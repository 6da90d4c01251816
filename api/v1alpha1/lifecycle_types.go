// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Duration is a length of time such as 90s, 10m or 1h30m. Every field of this type carries its own validation, because
// the generator of the CRDs ignores markers of an alias. The rule admits only what metav1.Duration can read: 20
// characters in numbers of six digits stay below its limit of 292 years. One object that cannot be read would stop the
// list of all.
type Duration = metav1.Duration

// GateType names what decides when an application may start.
// +kubebuilder:validation:Enum=Embedded;Kueue;Volcano;YuniKorn;None
type GateType string

// The gates.
const (
	GateEmbedded GateType = "Embedded"
	GateKueue    GateType = "Kueue"
	GateVolcano  GateType = "Volcano"
	GateYuniKorn GateType = "YuniKorn"
	GateNone     GateType = "None"
)

// QueueReference names the queue that the job asks, and the least that it starts with.
type QueueReference struct {
	// name of the queue: a SparkQueue under the gate Embedded, else the queue of that system.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$`
	Name string `json:"name,omitempty" sparkgate:"ask"`

	// gate decides when the job may start. Default: the namespace's annotation sparkgate.io/default-gate, else the
	// operator's flag, else Embedded.
	// +optional
	Gate GateType `json:"gate,omitempty" sparkgate:"ask"`

	// priorityClassName is a PriorityClass; higher values go first in the queue. Default: the cluster's global default,
	// else 0. May change at any time.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty" sparkgate:"live"`

	// minExecutors lets the job start with fewer executors than requested, but never fewer than this. Default: all that
	// are requested.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	MinExecutors *int32 `json:"minExecutors,omitempty" sparkgate:"ask"`

	// flavors restricts the node classes that driver and executors may be placed in. Default: any that the queue
	// offers.
	// +optional
	Flavors *FlavorChoice `json:"flavors,omitempty" sparkgate:"ask"`

	// volcano holds options of the gate Volcano.
	// +optional
	Volcano *VolcanoOptions `json:"volcano,omitempty" sparkgate:"ask"`
}

// FlavorChoice restricts the node classes of the two roles.
type FlavorChoice struct {
	// driver lists the flavors that the driver may use.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	Driver []string `json:"driver,omitempty"`

	// executor lists the flavors that executors may use.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	Executor []string `json:"executor,omitempty"`
}

// VolcanoOptions are options of the gate Volcano.
type VolcanoOptions struct {
	// waitForInqueue holds the driver back until the whole base gang fits into Volcano's queue. Where nodes come only
	// for pods that wait for them, set it to false: the driver is created at once, and waits as a pod. Default: true.
	// +optional
	WaitForInqueue *bool `json:"waitForInqueue,omitempty"`
}

// DriverService is one stable headless Service that follows the live attempt.
type DriverService struct {
	// ports of the driver that the Service names.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Ports []DriverServicePort `json:"ports"`
}

// DriverServicePort is one port of the driver.
type DriverServicePort struct {
	// name of the port.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=15
	Name string `json:"name"`

	// port number.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
}

// Timeouts bound the stages of a run. Time spent waiting, preempted or suspended is never run time.
type Timeouts struct {
	// admission bounds one wait in the queue; reason AdmissionTimeout. Default: none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set admission to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Admission *Duration `json:"admission,omitempty"`

	// driverStart bounds the time from admission to a running driver, or, where the scheduler has the queue (YuniKorn,
	// Volcano without waitForInqueue), from when the driver has a node; reason DriverStartTimeout. Default: 10m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set driverStart to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	DriverStart *Duration `json:"driverStart,omitempty"`

	// executorStart bounds the time from a running driver until its first executors are ready; reason
	// ExecutorStartTimeout. Then the attempt releases its quota and is queued again; under the gate None it fails.
	// Default: none under the gate None, else 30m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set executorStart to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	ExecutorStart *Duration `json:"executorStart,omitempty"`

	// run bounds how long the driver of one attempt runs; reason DeadlineExceeded. Default: none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set run to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Run *Duration `json:"run,omitempty"`

	// total bounds how long the drivers of all attempts of one run together run; reason TotalDeadlineExceeded. Default:
	// none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set total to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Total *Duration `json:"total,omitempty"`

	// termination is how long pods may take to end after they were asked to; then they are deleted without a grace
	// period if their node is reachable. The operator's --max-termination bounds it. Default: 5m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set termination to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Termination *Duration `json:"termination,omitempty"`
}

// RestartPolicyType says which failures are tried again.
// +kubebuilder:validation:Enum=Never;OnFailure;OnInfrastructureFailure;Always
type RestartPolicyType string

// Values of restartPolicy.type.
const (
	RestartNever                   RestartPolicyType = "Never"
	RestartOnFailure               RestartPolicyType = "OnFailure"
	RestartOnInfrastructureFailure RestartPolicyType = "OnInfrastructureFailure"
	RestartAlways                  RestartPolicyType = "Always"
)

// RestartPolicy says when and how often a failed attempt is tried again.
type RestartPolicy struct {
	// type is Never (default), OnFailure, OnInfrastructureFailure (eviction, lost node, slow start) or Always (needs
	// readyWhen: Running).
	// +optional
	Type RestartPolicyType `json:"type,omitempty"`

	// maxAttempts counts the first attempt and its retries after failures. Default: 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	MaxAttempts *int32 `json:"maxAttempts,omitempty"`

	// backoff is the pause before a retry; it holds no quota.
	// +optional
	Backoff *Backoff `json:"backoff,omitempty"`

	// resetAfter forgets earlier failures once an attempt has run that long. Default: 1h.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set resetAfter to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	ResetAfter *Duration `json:"resetAfter,omitempty"`
}

// Backoff is a pause that grows with every failure.
type Backoff struct {
	// initial is the first pause. Default: 10s.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set initial to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Initial *Duration `json:"initial,omitempty"`

	// factor multiplies the pause after every failure. Default: 2.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Factor *int32 `json:"factor,omitempty"`

	// max is the longest pause. Default: 5m, or initial if that is longer.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set max to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Max *Duration `json:"max,omitempty"`
}

// RetentionPolicy says after which end objects are kept.
// +kubebuilder:validation:Enum=Never;OnFailure;Always
type RetentionPolicy string

// Values of retention.policy.
const (
	RetentionNever     RetentionPolicy = "Never"
	RetentionOnFailure RetentionPolicy = "OnFailure"
	RetentionAlways    RetentionPolicy = "Always"
)

// Retention says what is kept of an attempt that has ended. What is kept holds no quota and is deleted with this
// object. Nothing is kept of an attempt that the operator has stopped, because of a timeout for example.
type Retention struct {
	// policy is Always (default), OnFailure or Never.
	// +optional
	Policy RetentionPolicy `json:"policy,omitempty"`

	// duration is how long objects are kept after the end of the attempt. Default: 1h.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set duration to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Duration *Duration `json:"duration,omitempty"`
}

// UserInterface exposes Spark's web interface.
type UserInterface struct {
	// serviceMetadata adds to the Service of the web interface.
	// +optional
	ServiceMetadata *ServiceMetadata `json:"serviceMetadata,omitempty"`

	// ingress creates an Ingress for it.
	// +optional
	Ingress *UIIngress `json:"ingress,omitempty"`

	// route creates a Gateway API HTTPRoute for it.
	// +optional
	Route *UIRoute `json:"route,omitempty"`
}

// ServiceMetadata adds to the Service of the web interface.
type ServiceMetadata struct {
	// labels of the Service.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="set labels with names of at most 317 characters and values of at most 63"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations of the Service, of the keys that the operator's flag --ui-annotations allows; {{name}} and
	// {{namespace}} are replaced in values.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 16384)",message="set annotations with names of at most 317 characters and values of at most 16384"
	Annotations map[string]string `json:"annotations,omitempty"`
}

// UIIngress is an Ingress for the web interface.
type UIIngress struct {
	// className is the IngressClass.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClassName string `json:"className,omitempty"`

	// host of the Ingress, one that the operator's flag --ui-hosts allows; {{name}} and {{namespace}} are replaced.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host"`

	// path under the host; {{name}} and {{namespace}} are replaced. Requests have to reach Spark without it. A path
	// that ends with (/|$)(.*) is a regular expression, any other a prefix. Default: /.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`

	// annotations of the Ingress, of the keys that the operator's flag --ui-annotations allows; {{name}} and
	// {{namespace}} are replaced in values.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 16384)",message="set annotations with names of at most 317 characters and values of at most 16384"
	Annotations map[string]string `json:"annotations,omitempty"`

	// tlsSecretName is a Secret with the certificate of host.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TLSSecretName string `json:"tlsSecretName,omitempty"`
}

// UIRoute is a Gateway API HTTPRoute for the web interface.
type UIRoute struct {
	// parentRefs are the Gateways to attach to.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	ParentRefs []RouteParent `json:"parentRefs"`

	// hostname of the route, one that the operator's flag --ui-hosts allows; without it no route is created. {{name}} and
	// {{namespace}} are replaced.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Hostname string `json:"hostname,omitempty"`

	// path under the host name, which the route strips; {{name}} and {{namespace}} are replaced. Default: /.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`
}

// RouteParent is a Gateway that a route attaches to.
type RouteParent struct {
	// name of the Gateway.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// namespace of the Gateway. Default: the application's.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// sectionName is the listener of the Gateway.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SectionName string `json:"sectionName,omitempty"`
}
