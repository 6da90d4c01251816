// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// ServletPath is where Spark's servlet shows the metrics of the driver, ExecutorMetricsPath those of its executors:
	// both on the port of the driver's web interface (org.apache.spark.status.api.v1.PrometheusResource).
	ServletPath         = "/metrics/prometheus"
	ExecutorMetricsPath = "/metrics/executors/prometheus"

	// AgentRulesFolder and AgentRulesFile are where the rules of the JMX exporter are, unless the user brings some.
	AgentRulesFolder = "/opt/sparkgate/jmx-exporter"
	AgentRulesFile   = "rules.yaml"
	// defaultAgentPort is the port of the JMX exporter.
	defaultAgentPort = 8090

	prometheusField = "spec.monitoring.prometheus"
)

// monitoring sets the properties that make Spark show its metrics. The servlet has to be switched on in two places: for
// the driver as a sink, for executors as a part of the web interface (on by default from Spark 4.0 on).
func (f fields) monitoring(spec *v1alpha1.SparkApplicationSpec) {
	if spec.Monitoring == nil || spec.Monitoring.Prometheus == nil {
		return
	}
	if AgentOf(spec) != nil {
		f.text(JMXSink, prometheusField, "org.apache.spark.metrics.sink.JmxSink")
		return
	}
	f.text(PrometheusEnabled, prometheusField, "true")
	f.text(PrometheusSink, prometheusField, "org.apache.spark.metrics.sink.PrometheusServlet")
	f.text(PrometheusSinkPath, prometheusField, ServletPath)
}

// Agent is the JMX exporter that runs inside the Java virtual machines of driver and executors.
type Agent struct {
	// Jar and Rules are paths inside the containers.
	Jar, Rules string
	// OwnRules says that the user brings the rules.
	OwnRules bool
	Port     int32
}

// AgentOf returns the JMX exporter that an application asks for, nil if it asks for none.
func AgentOf(spec *v1alpha1.SparkApplicationSpec) *Agent {
	if spec.Monitoring == nil || spec.Monitoring.Prometheus == nil || spec.Monitoring.Prometheus.JMXExporterJar == "" {
		return nil
	}
	p := spec.Monitoring.Prometheus
	agent := Agent{Jar: p.JMXExporterJar, Rules: p.JMXExporterConfig, OwnRules: p.JMXExporterConfig != "", Port: defaultAgentPort}
	if !agent.OwnRules {
		agent.Rules = AgentRulesFolder + "/" + AgentRulesFile
	}
	if p.Port != nil {
		agent.Port = *p.Port
	}
	return &agent
}

// option returns what loads the agent (prometheus/jmx_exporter: -javaagent:JAR=PORT:CONFIGURATION).
func (a *Agent) option() string {
	return "-javaagent:" + a.Jar + "=" + strconv.Itoa(int(a.Port)) + ":" + a.Rules
}

// loadedBy returns the option that loads the jar already, or nothing.
func (a *Agent) loadedBy(options string) string {
	for _, option := range strings.Fields(options) {
		option = strings.Trim(option, `'"`)
		if jar, _, _ := strings.Cut(option, "="); jar == "-javaagent:"+a.Jar {
			return option
		}
	}
	return ""
}

// addAgent adds the JMX exporter to the options of both roles, after those of the user. One that the user loads as well
// could not open its port twice.
func addAgent(merged Properties, spec *v1alpha1.SparkApplicationSpec) []Finding {
	agent := AgentOf(spec)
	if agent == nil {
		return nil
	}
	const field = prometheusField + ".jmxExporterJar"
	for _, key := range []string{DriverJavaOptions, DriverDefaultOptions, ExecutorJavaOptions, ExecutorDefaultOptions} {
		if option := agent.loadedBy(merged.Get(key, "")); option != "" {
			return []Finding{{Field: field, Message: fmt.Sprintf("value %q is also loaded by %q of %s: remove one of the two", agent.Jar, option, merged.Field(key))}}
		}
	}
	for _, key := range []string{DriverJavaOptions, ExecutorJavaOptions} {
		origin := Origin{Source: TypedField, Field: field}
		if property, ok := merged[key]; ok {
			origin = property.Origin
		}
		merged.Set(key, strings.TrimLeft(merged.Get(key, "")+" "+agent.option(), " "), origin)
	}
	return nil
}
