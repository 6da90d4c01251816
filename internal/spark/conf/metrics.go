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
	// ServletPath is the path at which Spark's servlet shows the metrics of the driver, ExecutorMetricsPath the one for
	// its executors. Both are on the port of the driver's web interface
	// (org.apache.spark.status.api.v1.PrometheusResource).
	ServletPath         = "/metrics/prometheus"
	ExecutorMetricsPath = "/metrics/executors/prometheus"

	// AgentRulesFolder and AgentRulesFile locate the rules of the JMX exporter, unless the user provides rules.
	AgentRulesFolder = "/opt/sparkgate/jmx-exporter"
	AgentRulesFile   = "rules.yaml"
	// defaultAgentPort is the default port of the JMX exporter.
	defaultAgentPort = 8090

	prometheusField = "spec.monitoring.prometheus"
)

// monitoring sets the properties that make Spark show its metrics. The servlet is turned on in two places: as a sink
// for the driver, and as a part of the web interface for executors (there it is on by default from Spark 4.0).
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

// Agent is the JMX exporter, which runs as an agent in the Java virtual machines of driver and executors.
type Agent struct {
	// Jar and Rules are paths in the containers.
	Jar, Rules string
	// OwnRules reports that the user provides the rules.
	OwnRules bool
	Port     int32
}

// AgentOf returns the JMX exporter that an application configures, nil if it does not.
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

// option returns the Java option that loads the agent (prometheus/jmx_exporter: -javaagent:JAR=PORT:CONFIGURATION).
func (a *Agent) option() string {
	return "-javaagent:" + a.Jar + "=" + strconv.Itoa(int(a.Port)) + ":" + a.Rules
}

// loadedBy returns the option among options that loads the same jar, "" if there is none.
func (a *Agent) loadedBy(options string) string {
	for _, option := range strings.Fields(options) {
		option = strings.Trim(option, `'"`)
		if jar, _, _ := strings.Cut(option, "="); jar == "-javaagent:"+a.Jar {
			return option
		}
	}
	return ""
}

// addAgent adds the JMX exporter to the Java options of both roles, after those of the user. It returns a finding if
// the user loads the same jar, because two agents cannot open the same port.
func addAgent(merged Properties, spec *v1alpha1.SparkApplicationSpec) []Finding {
	agent := AgentOf(spec)
	if agent == nil {
		return nil
	}
	const field = prometheusField + ".jmxExporterJar"
	for _, key := range []string{DriverJavaOptions, DriverDefaultOptions, ExecutorJavaOptions, ExecutorDefaultOptions} {
		if option := agent.loadedBy(merged.Get(key, "")); option != "" {
			return []Finding{{Field: field, Message: fmt.Sprintf("value %q is already loaded by %q of %s; remove one", agent.Jar, option, merged.Field(key))}}
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
