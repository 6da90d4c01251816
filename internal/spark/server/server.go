// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package server completes applications that run a server of Spark: Connect or Thrift. What spec.server implies is filled
// in wherever an application is read, and never stored, so an upgrade of the operator restarts no server.
package server

import (
	"maps"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// maxExecutors is how many executors a server may have if its user says nothing else.
const maxExecutors = 10

// shuffleTimeout is how long an executor without tasks keeps its shuffle files. Spark's default is for ever, until the
// results that need them are garbage; then a server would rarely give quota back.
const shuffleTimeout = "10min"

// NoResource as the main application file means that the main class is on the class path of the image.
const NoResource = "spark-internal"

// TokenVariable is the environment variable with the token that clients of Spark Connect have to send.
const TokenVariable = "SPARK_CONNECT_AUTHENTICATE_TOKEN"

// Kind is what a server is to Spark and to its clients.
type Kind struct {
	// Class is its main class.
	Class string
	// PortName and Port are where clients reach it. Protocol is what the port speaks, for Gateways; empty if that has no
	// standard name.
	PortName string
	Port     int32
	Protocol string
	// PortKey is the property that would set another port.
	PortKey string
	// Scheme is how addresses of the server begin for its clients.
	Scheme string
}

var kinds = map[v1alpha1.ServerType]Kind{
	v1alpha1.ConnectServer: {"org.apache.spark.sql.connect.service.SparkConnectServer", "spark-connect", 15002, "kubernetes.io/h2c", "spark.connect.grpc.binding.port", "sc://"},
	v1alpha1.MasterServer:  {"org.apache.spark.deploy.master.Master", "spark-master", 7077, "", "spark.master.port", "spark://"},
	v1alpha1.ThriftServer:  {"org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "thrift", 10000, "", "spark.hive.server2.thrift.port", "jdbc:hive2://"},
}

// KindOf returns what the server of a spec is; false if it has none.
func KindOf(spec *v1alpha1.SparkApplicationSpec) (Kind, bool) {
	if spec.Server == nil {
		return Kind{}, false
	}
	kind, known := kinds[spec.Server.Type]
	return kind, known
}

// IsMaster reports whether a spec is that of the master of a SparkCluster, whose executors are the workers.
func IsMaster(spec *v1alpha1.SparkApplicationSpec) bool {
	return spec.Server != nil && spec.Server.Type == v1alpha1.MasterServer
}

// TypeOf returns the server with a main class; false if the class is none of a server.
func TypeOf(class string) (v1alpha1.ServerType, bool) {
	for server, kind := range kinds {
		if kind.Class == class {
			return server, true
		}
	}
	return "", false
}

// Complete returns an application with what its server implies where the user has set nothing else. The application
// itself is not changed; without a server it is returned as it is.
func Complete(app *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
	kind, serves := KindOf(&app.Spec)
	if !serves {
		return app
	}
	out := *app
	spec := &out.Spec
	if spec.MainClass == "" && spec.MainApplicationFile == "" {
		spec.MainClass, spec.MainApplicationFile = kind.Class, NoResource
	}
	if spec.ReadyWhen == "" {
		spec.ReadyWhen = v1alpha1.ReadyWhenRunning
	}
	if spec.RestartPolicy == nil && spec.ReadyWhen == v1alpha1.ReadyWhenRunning {
		spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartAlways}
	}
	spec.DriverService = serviceOf(spec, kind)
	if !IsMaster(spec) {
		completeExecutors(spec)
	}
	return &out
}

// completeExecutors sets how many executors a server has, and when they go.
func completeExecutors(spec *v1alpha1.SparkApplicationSpec) {
	if spec.DynamicAllocation == nil && spec.Executor.Instances == nil && !conf.IsLocal(spec.SparkConf[conf.DriverMaster]) {
		spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MinExecutors: ptr.To[int32](0), MaxExecutors: ptr.To[int32](maxExecutors)}
	}
	if _, chosen := spec.SparkConf[conf.ShuffleTrackingTimeout]; !chosen && spec.DynamicAllocation != nil && spec.DynamicAllocation.Enabled {
		spec.SparkConf = maps.Clone(spec.SparkConf)
		if spec.SparkConf == nil {
			spec.SparkConf = map[string]string{}
		}
		spec.SparkConf[conf.ShuffleTrackingTimeout] = shuffleTimeout
	}
}

// serviceOf returns the Service of a server: as the user has set it, with the server's port.
func serviceOf(spec *v1alpha1.SparkApplicationSpec, kind Kind) *v1alpha1.DriverService {
	out := ptr.Deref(spec.DriverService, v1alpha1.DriverService{})
	if out.Type == "" && (spec.Server.Ingress != nil || spec.Server.Route != nil) {
		out.Type = v1alpha1.ClusterIPService
	}
	if slices.ContainsFunc(out.Ports, func(p v1alpha1.DriverServicePort) bool { return p.Port == kind.Port }) {
		return &out
	}
	port := v1alpha1.DriverServicePort{Name: kind.PortName, Port: kind.Port}
	if kind.Protocol != "" {
		port.AppProtocol = ptr.To(kind.Protocol)
	}
	out.Ports = append(slices.Clone(out.Ports), port)
	return &out
}
