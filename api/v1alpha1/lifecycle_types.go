// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Duration is a length of time such as 90s, 10m or 1h30m. Every field of this type needs its own validation, because
// the generator of the CRDs ignores markers of an alias. The rule allows only what metav1.Duration can parse: 20
// characters in numbers of six digits stay below its limit of 292 years. One object that cannot be parsed would make
// lists of all objects fail.
type Duration = metav1.Duration

// GateType is the name of a gate, which decides when an application may start.
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

// QueueReference is the queue of the job, and what the job asks of it.
type QueueReference struct {
	// name of the queue: a SparkQueue under the gate Embedded, else a queue of the other system. Only queues of YuniKorn
	// may have upper-case letters.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty" sparkgate:"ask"`

	// gate decides when the job may start. Default: the annotation sparkgate.io/default-gate of the namespace, else the
	// operator's flag, else Embedded.
	// +optional
	Gate GateType `json:"gate,omitempty" sparkgate:"ask"`

	// priorityClassName is a PriorityClass. Applications with higher values go first in the queue. Default: the global
	// default of the cluster, else 0. May change at any time.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty" sparkgate:"live"`

	// minExecutors lets the job start with fewer executors than requested, but not with fewer than this. Default: all
	// that are requested.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	MinExecutors *int32 `json:"minExecutors,omitempty" sparkgate:"ask"`

	// flavors restricts the flavors in which driver and executors may be placed. Default: any that the queue has.
	// +optional
	Flavors *FlavorChoice `json:"flavors,omitempty" sparkgate:"ask"`

	// volcano holds options of the gate Volcano.
	// +optional
	Volcano *VolcanoOptions `json:"volcano,omitempty" sparkgate:"ask"`
}

// FlavorChoice restricts the flavors of driver and executors.
type FlavorChoice struct {
	// driver are the flavors in which the driver may be placed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	Driver []string `json:"driver,omitempty"`

	// executor are the flavors in which executors may be placed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	Executor []string `json:"executor,omitempty"`
}

// VolcanoOptions are options of the gate Volcano.
type VolcanoOptions struct {
	// waitForInqueue delays the driver until the whole base gang fits into Volcano's queue. Set it to false if nodes
	// are added only for pods that wait for them: the driver is then created at once, and waits as a pod. Default:
	// true.
	// +optional
	WaitForInqueue *bool `json:"waitForInqueue,omitempty"`
}

// DriverServiceType is what the name of a Service resolves to.
// +kubebuilder:validation:Enum=Headless;ClusterIP
type DriverServiceType string

// Values of driverService.type.
const (
	HeadlessService  DriverServiceType = "Headless"
	ClusterIPService DriverServiceType = "ClusterIP"
)

// DriverService is a Service that selects the driver of the current attempt.
type DriverService struct {
	// type is Headless, with which the name of the Service resolves to the address of the driver, or ClusterIP, with
	// which it resolves to an address that stays the same over attempts, as most Gateways need. Default: Headless;
	// ClusterIP for a server with ingress or route.
	// +optional
	Type DriverServiceType `json:"type,omitempty"`

	// ports are the ports of the driver that the Service has. The port of a server is added. Required without server.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Ports []DriverServicePort `json:"ports,omitempty"`
}

// DriverServicePort is one port of the driver.
type DriverServicePort struct {
	// name of the port.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=15
	Name string `json:"name"`

	// port is the port number.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`

	// appProtocol tells Gateways and meshes what the port speaks, such as kubernetes.io/h2c for gRPC. Default: none.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	AppProtocol *string `json:"appProtocol,omitempty"`
}

// Timeouts limit the stages of a run. Time in which the run waits, is preempted or is suspended does not count as
// running time.
type Timeouts struct {
	// admission limits each wait in the queue. The run then ends with reason AdmissionTimeout. Default: none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set admission to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Admission *Duration `json:"admission,omitempty"`

	// driverStart limits the time from admission until the driver runs. If the scheduler has the queue (YuniKorn,
	// Volcano without waitForInqueue), it begins when the driver gets its node. The attempt then ends with reason
	// DriverStartTimeout. Default: 10m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set driverStart to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	DriverStart *Duration `json:"driverStart,omitempty"`

	// executorStart limits the time from a running driver until its first executors are ready. The attempt then
	// releases its quota with reason ExecutorStartTimeout and is queued again; under the gate None it fails. Default:
	// 30m; none under the gate None.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set executorStart to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	ExecutorStart *Duration `json:"executorStart,omitempty"`

	// run limits how long the driver of each attempt runs. The attempt then ends with reason DeadlineExceeded. Default:
	// none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set run to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Run *Duration `json:"run,omitempty"`

	// total limits how long the drivers of all attempts of a run may run together. The run then ends with reason
	// TotalDeadlineExceeded. Default: none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set total to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Total *Duration `json:"total,omitempty"`

	// termination is how long pods get to end. After that they are deleted without a grace period if their node is
	// reachable. The operator's flag --max-termination is the maximum. Default: 5m.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set termination to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Termination *Duration `json:"termination,omitempty"`

	// idle limits how long a server runs without a job of Spark: after that the attempt ends with reason Idle and
	// releases its quota, until the spec changes or sparkctl resume starts the next one. The driver is asked through its
	// web interface, at most once a minute; one that cannot be asked is not idle. At least 1m; only with server. Default:
	// none.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set idle to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Idle *Duration `json:"idle,omitempty"`
}

// RestartPolicyType is which failures are tried again.
// +kubebuilder:validation:Enum=Never;OnFailure;OnInfrastructureFailure;Always
type RestartPolicyType string

// Values of restartPolicy.type.
const (
	RestartNever                   RestartPolicyType = "Never"
	RestartOnFailure               RestartPolicyType = "OnFailure"
	RestartOnInfrastructureFailure RestartPolicyType = "OnInfrastructureFailure"
	RestartAlways                  RestartPolicyType = "Always"
)

// RestartPolicy is when and how often a failed attempt is tried again.
type RestartPolicy struct {
	// type is Never (default), OnFailure, OnInfrastructureFailure (eviction, lost node, slow start) or Always (needs
	// readyWhen: Running).
	// +optional
	Type RestartPolicyType `json:"type,omitempty"`

	// maxAttempts is the maximum number of attempts that fail, including the first. Default: 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	MaxAttempts *int32 `json:"maxAttempts,omitempty"`

	// backoff is the pause before a retry. The job holds no quota during the pause.
	// +optional
	Backoff *Backoff `json:"backoff,omitempty"`

	// resetAfter is how long an attempt has to run for earlier failures to be forgotten. Default: 1h.
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

// RetentionPolicy is after which outcomes objects are kept.
// +kubebuilder:validation:Enum=Never;OnFailure;Always
type RetentionPolicy string

// Values of retention.policy.
const (
	RetentionNever     RetentionPolicy = "Never"
	RetentionOnFailure RetentionPolicy = "OnFailure"
	RetentionAlways    RetentionPolicy = "Always"
)

// Retention is what is kept of an attempt that has ended. Kept objects hold no quota, and are deleted together with
// this object. Nothing is kept of an attempt that the operator has stopped, for example because of a timeout.
type Retention struct {
	// policy is Always (default), OnFailure or Never.
	// +optional
	Policy RetentionPolicy `json:"policy,omitempty"`

	// duration is how long objects are kept after the end of the attempt. Default: 24h after a failure, else 1h.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set duration to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	Duration *Duration `json:"duration,omitempty"`
}

// UserInterface exposes Spark's web interface.
type UserInterface struct {
	// serviceMetadata adds labels and annotations to the Service of the web interface.
	// +optional
	ServiceMetadata *ServiceMetadata `json:"serviceMetadata,omitempty"`

	// ingress creates an Ingress for the web interface.
	// +optional
	Ingress *UIIngress `json:"ingress,omitempty"`

	// route creates a Gateway API HTTPRoute for the web interface.
	// +optional
	Route *UIRoute `json:"route,omitempty"`
}

// ServiceMetadata are labels and annotations for the Service of the web interface.
type ServiceMetadata struct {
	// labels of the Service.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="set labels with names of at most 317 characters and values of at most 63"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations of the Service. The operator's flag --ui-annotations has to allow their keys. {{name}} and
	// {{namespace}} are replaced in values.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 16384)",message="set annotations with names of at most 317 characters and values of at most 16384"
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set annotations of at most 196608 characters in all"
	Annotations map[string]string `json:"annotations,omitempty"`
}

// UIIngress is an Ingress for the web interface.
type UIIngress struct {
	// className is the name of the IngressClass.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClassName string `json:"className,omitempty"`

	// host is the host name of the Ingress. The operator's flag --ui-hosts has to allow it. {{name}} and {{namespace}}
	// are replaced.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host"`

	// path is the path under the host. The ingress controller has to remove it from requests before they reach Spark. A
	// path that ends with (/|$)(.*) is a regular expression, any other is a prefix. {{name}} and {{namespace}} are
	// replaced. Default: /.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`

	// annotations of the Ingress. The operator's flag --ui-annotations has to allow their keys. {{name}} and
	// {{namespace}} are replaced in values.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 16384)",message="set annotations with names of at most 317 characters and values of at most 16384"
	// +kubebuilder:validation:XValidation:rule="size('%s'.format([self])) <= 196608",message="set annotations of at most 196608 characters in all"
	Annotations map[string]string `json:"annotations,omitempty"`

	// tlsSecretName is the name of a Secret with a certificate for host.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TLSSecretName string `json:"tlsSecretName,omitempty"`
}

// UIRoute is a Gateway API HTTPRoute for the web interface.
type UIRoute struct {
	// parentRefs are the Gateways to which the route is attached.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	ParentRefs []RouteParent `json:"parentRefs"`

	// hostname is the host name of the route. The operator's flag --ui-hosts has to allow it; without a host name no
	// route is created. {{name}} and {{namespace}} are replaced.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Hostname string `json:"hostname,omitempty"`

	// path is the path under the host name, which the route removes from requests. {{name}} and {{namespace}} are
	// replaced. Default: /.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`
}

// RouteParent is a Gateway to which a route is attached.
type RouteParent struct {
	// name of the Gateway.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// namespace of the Gateway. Default: the namespace of the application.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// sectionName is the name of a listener of the Gateway.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SectionName string `json:"sectionName,omitempty"`
}
