// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

func TestMonitoring(t *testing.T) {
	t.Parallel()
	table{
		"Spark's servlet": {spec: "monitoring: {prometheus: {}}"},
		"the exporter":    {spec: "monitoring: {prometheus: {jmxExporterJar: /opt/jmx.jar, port: 9404}}\nsparkConf: {spark.ui.enabled: 'false'}"},
		"its rules from configMaps": {spec: `
monitoring: {prometheus: {jmxExporterJar: /opt/jmx.jar, jmxExporterConfig: /etc/jmx/rules.yaml}}
configMaps: [{name: jmx, mountPath: /etc/jmx, data: {rules.yaml: "rules: []"}}]`},
		"what only the exporter has": {"monitoring: {prometheus: {port: 9404, jmxExporterConfig: /x}}", []string{
			`spec.monitoring.prometheus.port: value 9404 is the port of a JMX exporter, and there is none: set jmxExporterJar, or remove it ` +
				`(Spark's own servlet answers at spark.ui.port)`,
			`spec.monitoring.prometheus.jmxExporterConfig: value "/x" is for a JMX exporter, and there is none: set jmxExporterJar, or remove it`,
		}},
		"nowhere to show them": {"monitoring: {prometheus: {}}\nsparkConf: {spark.ui.enabled: 'false'}", []string{
			`spec.monitoring.prometheus: metrics are shown by Spark's web interface, which spec.sparkConf[spark.ui.enabled] switches off: ` +
				`remove that, or set jmxExporterJar`,
		}},
		"switched off by a property": {"monitoring: {prometheus: {}}\nsparkConf: {spark.ui.prometheus.enabled: 'false'}", []string{
			`spec.monitoring.prometheus: value "true" contradicts "false" of spec.sparkConf[spark.ui.prometheus.enabled]; remove one`,
		}},
		"paths": {"monitoring: {prometheus: {jmxExporterJar: 'local:///opt/jmx.jar', jmxExporterConfig: '/etc/my rules.yaml'}}", []string{
			`spec.monitoring.prometheus.jmxExporterJar: invalid path "local:///opt/jmx.jar": ` +
				`use an absolute path without spaces, quotes or any of = , \ $ { } inside the image, such as /opt/jmx_prometheus_javaagent.jar`,
			`spec.monitoring.prometheus.jmxExporterConfig: invalid path "/etc/my rules.yaml": ` +
				`use an absolute path without spaces, quotes or any of = , \ $ { } inside the containers, such as /etc/jmx/rules.yaml`,
		}},
		"the port of the web interface": {"monitoring: {prometheus: {jmxExporterJar: /a.jar, port: 4040}}", []string{
			`spec.monitoring.prometheus.port: port 4040 is already used by spark.ui.port; choose another`,
		}},
		"the port of executors": {`
monitoring: {prometheus: {jmxExporterJar: /a.jar}}
sparkConf: {spark.driver.blockManager.port: "7000", spark.blockManager.port: "8090"}`, []string{
			`spec.monitoring.prometheus.port: port 8090 is already used by spark.blockManager.port; choose another`,
		}},
		"a volume of its own": {`
monitoring: {prometheus: {jmxExporterJar: /a.jar}}
driver: {volumes: [{name: sparkgate-jmx-exporter, emptyDir: {}}]}`, []string{
			`spec.driver.volumes[0].name: value "sparkgate-jmx-exporter" is Spark's own volume for the rules of the JMX exporter: rename it`,
		}},
	}.run(t)
}
