// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// monitored returns an application whose metrics are scraped.
func monitored(p v1alpha1.PrometheusMonitoring, sparkConf map[string]string) *v1alpha1.SparkApplication {
	return application(func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Monitoring = &v1alpha1.Monitoring{Prometheus: &p}
		spec.SparkConf = sparkConf
		spec.Driver.JavaOptions = sparkConf["driver"]
		delete(sparkConf, "driver")
	})
}

func TestMonitoring(t *testing.T) {
	t.Parallel()
	const (
		agent = "-javaagent:/a.jar=8090:/opt/sparkgate/jmx-exporter/rules.yaml"
		field = "spec.monitoring.prometheus"
	)
	servlet := map[string]string{
		AppName: "pi", PrometheusEnabled: "true", PrometheusSink: "org.apache.spark.metrics.sink.PrometheusServlet", PrometheusSinkPath: "/metrics/prometheus",
	}
	exporter := func(more map[string]string) map[string]string {
		values := map[string]string{AppName: "pi", JMXSink: "org.apache.spark.metrics.sink.JmxSink", DriverJavaOptions: agent, ExecutorJavaOptions: agent}
		for key, value := range more {
			values[key] = value
		}
		return values
	}
	for name, test := range map[string]struct {
		prometheus v1alpha1.PrometheusMonitoring
		// sparkConf; "driver" stands for spec.driver.javaOptions.
		sparkConf map[string]string
		want      map[string]string
		findings  []string
	}{
		"Spark's servlet": {want: servlet},
		"said twice":      {sparkConf: map[string]string{PrometheusEnabled: "true"}, want: servlet},
		"the agent":       {prometheus: v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar"}, want: exporter(nil)},
		"another port, own config": {
			prometheus: v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar", Port: ptr.To[int32](9404), JMXExporterConfig: "/etc/jmx/x.yaml"},
			want:       exporter(map[string]string{DriverJavaOptions: "-javaagent:/a.jar=9404:/etc/jmx/x.yaml", ExecutorJavaOptions: "-javaagent:/a.jar=9404:/etc/jmx/x.yaml"}),
		},
		"behind the user's options": {
			prometheus: v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar"},
			sparkConf:  map[string]string{"driver": "-Dx='y z' -javaagent:/a.jar2=1", ExecutorJavaOptions: "-XX:+UseG1GC"},
			want:       exporter(map[string]string{DriverJavaOptions: "-Dx='y z' -javaagent:/a.jar2=1 " + agent, ExecutorJavaOptions: "-XX:+UseG1GC " + agent}),
		},
		"switched off by the user": {
			sparkConf: map[string]string{PrometheusEnabled: "false"},
			findings:  []string{field + `: value "true" contradicts "false" of spec.sparkConf[spark.ui.prometheus.enabled]; remove one`},
		},
		"another sink by the user": {
			prometheus: v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar"}, sparkConf: map[string]string{JMXSink: "org.example.Sink"},
			findings: []string{field + `: value "org.apache.spark.metrics.sink.JmxSink" contradicts "org.example.Sink" of spec.sparkConf[` + JMXSink + `]; remove one`},
		},
		"loaded by the user, too": {
			prometheus: v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar"}, sparkConf: map[string]string{"driver": `-Dx "-javaagent:/a.jar=1:/x"`},
			findings: []string{field + `.jmxExporterJar: value "/a.jar" is already loaded by "-javaagent:/a.jar=1:/x" of spec.driver.javaOptions; remove one`},
		},
		"loaded by the platform, too": {
			prometheus: v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar"}, sparkConf: map[string]string{ExecutorDefaultOptions: "-javaagent:/a.jar"},
			findings: []string{field + `.jmxExporterJar: value "/a.jar" is already loaded by "-javaagent:/a.jar" of spec.sparkConf[` + ExecutorDefaultOptions + `]; remove one`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			merged, findings := Merge(monitored(test.prometheus, test.sparkConf), Sources{})
			var got []string
			for _, f := range findings {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(test.findings, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, valuesOf(merged)); diff != "" && test.want != nil {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAgentKeepsTheField: a message about the options still names what the user would edit.
func TestAgentKeepsTheField(t *testing.T) {
	t.Parallel()
	merged, _ := Merge(monitored(v1alpha1.PrometheusMonitoring{JMXExporterJar: "/a.jar"}, map[string]string{"driver": "-Xmx1g"}), Sources{})
	if got := merged.Field(DriverJavaOptions); got != "spec.driver.javaOptions" {
		t.Errorf("field %q", got)
	}
	if got := merged.Field(ExecutorJavaOptions); got != "spec.monitoring.prometheus.jmxExporterJar" {
		t.Errorf("field %q", got)
	}
}
