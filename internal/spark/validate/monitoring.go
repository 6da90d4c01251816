// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"regexp"
	"slices"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// agentFile matches a file path that can be a part of a Java option, without characters that would end the path or be
// replaced.
var agentFile = regexp.MustCompile(`^/[^\s=,'"\\${}]+$`)

// checkMonitoring checks spec.monitoring. Contradicting properties are found when they are merged.
func checkMonitoring(s *subject) []Finding {
	if s.spec.Monitoring == nil || s.spec.Monitoring.Prometheus == nil {
		return nil
	}
	const field = "spec.monitoring.prometheus"
	if agent := conf.AgentOf(s.spec); agent != nil {
		return append(agentFiles(field, agent), agentPort(s, field+".port", agent.Port)...)
	}
	var findings []Finding
	prometheus := s.spec.Monitoring.Prometheus
	if prometheus.Port != nil {
		findings = append(findings, invalid(field+".port",
			"value %d is the port of a JMX exporter, and there is none: set jmxExporterJar, or remove it (Spark's own servlet answers at spark.ui.port)", *prometheus.Port))
	}
	if prometheus.JMXExporterConfig != "" {
		findings = append(findings, invalid(field+".jmxExporterConfig",
			"value %q is for a JMX exporter, and there is none: set jmxExporterJar, or remove it", prometheus.JMXExporterConfig))
	}
	if enabled, err := s.properties.Bool(conf.UIEnabled, true); err == nil && !enabled {
		findings = append(findings, invalid(field,
			"metrics are shown by Spark's web interface, which %s switches off: remove that, or set jmxExporterJar", s.properties.Field(conf.UIEnabled)))
	}
	return findings
}

// agentFiles checks the paths of the JMX exporter.
func agentFiles(field string, agent *conf.Agent) []Finding {
	var findings []Finding
	if !agentFile.MatchString(agent.Jar) {
		findings = append(findings, invalid(field+".jmxExporterJar",
			"invalid path %q: use an absolute path without spaces, quotes or any of = , \\ $ { } inside the image, such as /opt/jmx_prometheus_javaagent.jar", agent.Jar))
	}
	if agent.OwnRules && !agentFile.MatchString(agent.Rules) {
		findings = append(findings, invalid(field+".jmxExporterConfig",
			"invalid path %q: use an absolute path without spaces, quotes or any of = , \\ $ { } inside the containers, such as /etc/jmx/rules.yaml", agent.Rules))
	}
	return findings
}

// agentPort reports a port of the JMX exporter that driver or executor use as well.
func agentPort(s *subject, field string, agent int32) []Finding {
	executor := render.Port{Key: conf.BlockManagerPort, Default: render.BlockManagerPort}
	for _, port := range append(slices.Clone(render.PortsOf(s.spec.SparkVersion)), executor) {
		if number, err := s.properties.Int(port.Key, port.Default); err == nil && number == agent {
			return []Finding{invalid(field, "port %d is already used by %s; choose another", agent, port.Key)}
		}
	}
	return nil
}
