// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	connect := &v1alpha1.Server{Type: v1alpha1.ConnectServer}
	port := v1alpha1.DriverServicePort{Name: "spark-connect", Port: 15002, AppProtocol: ptr.To("kubernetes.io/h2c")}
	routed := &v1alpha1.Server{Type: v1alpha1.ConnectServer, Route: &v1alpha1.ServerRoute{}}
	own := &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{{Name: "grpc", Port: 15002}}}
	metrics := v1alpha1.DriverServicePort{Name: "metrics", Port: 8090}
	for name, tc := range map[string]struct{ spec, want v1alpha1.SparkApplicationSpec }{
		"a program": {v1alpha1.SparkApplicationSpec{MainClass: "org.example.Main"}, v1alpha1.SparkApplicationSpec{MainClass: "org.example.Main"}},
		"all defaults": {v1alpha1.SparkApplicationSpec{Server: connect}, v1alpha1.SparkApplicationSpec{
			Server: connect, MainClass: "org.apache.spark.sql.connect.service.SparkConnectServer", MainApplicationFile: "spark-internal",
			ReadyWhen: v1alpha1.ReadyWhenRunning, RestartPolicy: &v1alpha1.RestartPolicy{Type: v1alpha1.RestartAlways},
			DriverService:     &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{port}},
			DynamicAllocation: &v1alpha1.DynamicAllocation{Enabled: true, MinExecutors: ptr.To[int32](0), MaxExecutors: ptr.To[int32](10)},
			SparkConf:         map[string]string{"spark.dynamicAllocation.shuffleTracking.timeout": "10min"},
		}},
		"all chosen": {
			v1alpha1.SparkApplicationSpec{
				Server: connect, RestartPolicy: &v1alpha1.RestartPolicy{Type: v1alpha1.RestartNever}, DriverService: own,
				Executor: v1alpha1.ExecutorSpec{Instances: ptr.To[int32](2)},
			},
			v1alpha1.SparkApplicationSpec{
				Server: connect, MainClass: "org.apache.spark.sql.connect.service.SparkConnectServer", MainApplicationFile: "spark-internal",
				ReadyWhen: v1alpha1.ReadyWhenRunning, RestartPolicy: &v1alpha1.RestartPolicy{Type: v1alpha1.RestartNever}, DriverService: own,
				Executor: v1alpha1.ExecutorSpec{Instances: ptr.To[int32](2)},
			},
		},
		"a route": {v1alpha1.SparkApplicationSpec{Server: routed, DriverService: &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{metrics}}}, v1alpha1.SparkApplicationSpec{
			Server: routed, MainClass: "org.apache.spark.sql.connect.service.SparkConnectServer", MainApplicationFile: "spark-internal",
			ReadyWhen: v1alpha1.ReadyWhenRunning, RestartPolicy: &v1alpha1.RestartPolicy{Type: v1alpha1.RestartAlways},
			DriverService:     &v1alpha1.DriverService{Type: v1alpha1.ClusterIPService, Ports: []v1alpha1.DriverServicePort{metrics, port}},
			DynamicAllocation: &v1alpha1.DynamicAllocation{Enabled: true, MinExecutors: ptr.To[int32](0), MaxExecutors: ptr.To[int32](10)},
			SparkConf:         map[string]string{"spark.dynamicAllocation.shuffleTracking.timeout": "10min"},
		}},
		"without executors": {
			v1alpha1.SparkApplicationSpec{Server: connect, SparkConf: map[string]string{"spark.kubernetes.driver.master": "local[2]"}},
			v1alpha1.SparkApplicationSpec{
				Server: connect, MainClass: "org.apache.spark.sql.connect.service.SparkConnectServer", MainApplicationFile: "spark-internal",
				ReadyWhen: v1alpha1.ReadyWhenRunning, RestartPolicy: &v1alpha1.RestartPolicy{Type: v1alpha1.RestartAlways},
				DriverService: &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{port}},
				SparkConf:     map[string]string{"spark.kubernetes.driver.master": "local[2]"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{Spec: tc.spec}
			if diff := cmp.Diff(tc.want, Complete(app).Spec); diff != "" {
				t.Errorf("completed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.spec, app.Spec); diff != "" {
				t.Errorf("the application was changed:\n%s", diff)
			}
		})
	}
}
