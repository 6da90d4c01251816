// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ServerType is a server of Spark.
// +kubebuilder:validation:Enum=Connect;Thrift;Master
type ServerType string

// The servers of Spark.
const (
	// ConnectServer is Spark Connect, for clients that speak gRPC (port 15002).
	ConnectServer ServerType = "Connect"
	// ThriftServer is Spark's Thrift server, for JDBC and ODBC (port 10000).
	ThriftServer ServerType = "Thrift"
	// MasterServer is the master of a SparkCluster (port 7077), whose executors are its workers.
	MasterServer ServerType = "Master"
)

// AnyNamespace in server.allowedNamespaces allows clients from everywhere.
const AnyNamespace = "*"

// Server is a server of Spark that runs as the driver.
type Server struct {
	// type is Connect, for Spark Connect, Thrift, for JDBC and ODBC, or Master, in the application of a SparkCluster.
	// +required
	Type ServerType `json:"type"`

	// token is the key of a Secret with the token that clients of Connect have to send, from Spark 4.0 on. Clients with a
	// token speak TLS, unless the host is localhost, and the server does not: a proxy in front has to end TLS.
	// +optional
	Token *SecretKeyReference `json:"token,omitempty"`

	// allowedNamespaces are the namespaces besides its own from which the port of the server may be reached, such as that
	// of the Gateway or ingress controller; "*" allows all. The operator creates a NetworkPolicy for it. May change at any
	// time.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule="self == '*' || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="set allowedNamespaces to names of namespaces, or to [\"*\"] for all"
	AllowedNamespaces []string `json:"allowedNamespaces,omitempty" sparkgate:"live"`

	// workers is how many workers the cluster of a server of type Master should have now. Default, and least number:
	// executor.instances. May change at any time.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Workers *int32 `json:"workers,omitempty" sparkgate:"live"`

	// idleTimeout makes workers the largest number of them: there are as many as the programs with clusterRef may use, and
	// one that is not needed ends when it has run no executors for that long. Default: there are as many as workers says.
	// May change at any time.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set idleTimeout to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	IdleTimeout *Duration `json:"idleTimeout,omitempty" sparkgate:"live"`

	// ingress creates an Ingress for a server of type Connect. An annotation has to make its controller speak gRPC to the
	// server, such as nginx.ingress.kubernetes.io/backend-protocol: GRPC. May change at any time.
	// +optional
	Ingress *ServerIngress `json:"ingress,omitempty" sparkgate:"live"`

	// route creates a Gateway API GRPCRoute for a server of type Connect. May change at any time.
	// +optional
	Route *ServerRoute `json:"route,omitempty" sparkgate:"live"`
}

// ServerIngress is an Ingress for a server. It has a host of its own, because clients send no path.
type ServerIngress struct {
	// className is the name of the IngressClass.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClassName string `json:"className,omitempty"`

	// host is the host name of the Ingress. The operator's flag --ui-hosts has to allow it. {{name}} and {{namespace}}
	// are replaced.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host"`

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

// ServerRoute is a Gateway API GRPCRoute for a server.
type ServerRoute struct {
	// parentRefs are the Gateways to which the route is attached.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	ParentRefs []RouteParent `json:"parentRefs"`

	// hostname is the host name of the route. The operator's flag --ui-hosts has to allow it. {{name}} and {{namespace}}
	// are replaced.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Hostname string `json:"hostname"`
}
