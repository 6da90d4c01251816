// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

// The folder and the files of what monitoring writes out, as there.
const (
	metricsFolder     = "/etc/metrics/conf"
	metricsProperties = "metrics.properties"
	exporterRules     = "prometheus.yaml"
)

// monitoring translates the metrics. Without prometheus, nothing of it has an effect there.
func monitoring(t *translator) {
	m := t.theirs.Monitoring
	if m == nil {
		return
	}
	if m.Prometheus == nil {
		t.note("monitoring", "left out: without monitoring.prometheus it has no effect there. Write monitoring.prometheus: {} for the metrics of Spark's own servlet")
		return
	}
	files := map[string]string{}
	if m.MetricsPropertiesFile != "" {
		t.property("spark.metrics.conf", m.MetricsPropertiesFile, "monitoring.metricsPropertiesFile")
	} else if m.MetricsProperties != "" {
		files[metricsProperties] = m.MetricsProperties
		t.property("spark.metrics.conf", metricsFolder+"/"+metricsProperties, "monitoring.metricsProperties")
	}
	if namespace := t.app.Namespace; namespace != "" && t.app.Name != "" && !t.scheduled {
		t.property("spark.metrics.namespace", namespace+"."+t.app.Name, "monitoring")
	} else {
		t.note("monitoring", "spark.metrics.namespace, NAMESPACE.NAME there, is not set, because one of them is not known")
	}
	if !m.ExposeDriverMetrics && !m.ExposeExecutorMetrics {
		t.note("monitoring.prometheus", "left out: neither exposeDriverMetrics nor exposeExecutorMetrics is true")
	} else {
		exporter(t, files)
	}
	if len(files) > 0 {
		t.set("configMaps", []any{map[string]any{"name": "metrics", "mountPath": metricsFolder, "data": files}}, "monitoring")
	}
}

// exporter translates the JMX exporter, which runs in both roles here, and adds the file of its rules to files.
func exporter(t *translator, files map[string]string) {
	m, p := t.theirs.Monitoring, t.theirs.Monitoring.Prometheus
	t.set("monitoring.prometheus.jmxExporterJar", p.JmxExporterJar, "monitoring.prometheus.jmxExporterJar")
	if p.Port != nil {
		t.set("monitoring.prometheus.port", *p.Port, "monitoring.prometheus.port")
	}
	switch {
	case p.ConfigFile != "":
		t.set("monitoring.prometheus.jmxExporterConfig", p.ConfigFile, "monitoring.prometheus.configFile")
	case p.Configuration != "":
		files[exporterRules] = p.Configuration
		t.set("monitoring.prometheus.jmxExporterConfig", metricsFolder+"/"+exporterRules, "monitoring.prometheus.configuration")
	default:
		t.note("monitoring.prometheus", "metrics have the names of the rules of this project: to keep the names, put the rules of kubeflow's operator into a file, and name it in "+
			"monitoring.prometheus.jmxExporterConfig")
	}
	for i, exposed := range []bool{m.ExposeDriverMetrics, m.ExposeExecutorMetrics} {
		r := t.roles()[i]
		if key := "spark." + r.name + ".extraJavaOptions"; exposed && r.JavaOptions == "" && t.theirs.SparkConf[key] != "" {
			t.note("sparkConf["+key+"]", "it has an effect here: there, the JMX exporter takes its place")
		}
		if !exposed {
			t.note("monitoring.prometheus", "the exporter runs in both roles: the annotation prometheus.io/scrape: \"false\" excludes the %s", r.name)
			if r.Annotations == nil {
				r.Annotations = map[string]string{}
			}
			r.Annotations["prometheus.io/scrape"] = "false"
		}
	}
}
