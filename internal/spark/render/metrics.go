// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

const (
	// agentPortName is the name of the JMX exporter's port in driver and executors.
	agentPortName = "jmx-exporter"
	// agentPath is where the JMX exporter shows its metrics.
	agentPath = "/metrics"
	// agentVolume is the volume with the rules of the JMX exporter, agentRulesKey their key in the ConfigMap.
	agentVolume   = "sparkgate-jmx-exporter"
	agentRulesKey = "sparkgate-jmx-exporter.yaml"
)

// agentRules convert the names of Spark's metrics in JMX, <application>.<driver or number of the executor>.<name>, to
// names that are the same in every run, with labels for the rest. Other beans are left out; the agent adds metrics of
// the Java virtual machine itself.
const agentRules = `lowercaseOutputName: true
rules:
- pattern: 'metrics<name=(\S+?)\.driver\.([^,>]+)(?:, type=[a-z]+)?><>(Value|Count|Mean|Max|Min):'
  name: spark_driver_$2_$3
  labels:
    app_id: "$1"
- pattern: 'metrics<name=(\S+?)\.([0-9]+)\.([^,>]+)(?:, type=[a-z]+)?><>(Value|Count|Mean|Max|Min):'
  name: spark_executor_$3_$4
  labels:
    app_id: "$1"
    executor_id: "$2"
`

// scraped returns the annotations by which a Prometheus with the usual scrape rules finds the metrics of a pod or
// Service.
func scraped(path, port string) map[string]string {
	return map[string]string{"prometheus.io/scrape": "true", "prometheus.io/path": path, "prometheus.io/port": port}
}

// addMetrics adds these annotations to the pods whose metrics are to be scraped: the driver if Spark's servlet is used,
// both roles if the JMX exporter is. Annotations of the user win.
func addMetrics(d *draft, in Input, r Role, _ Parts) {
	agent := conf.AgentOf(&in.App.Spec)
	switch {
	case !monitored(in):
	case agent != nil:
		d.annotateMissing(scraped(agentPath, strconv.Itoa(int(agent.Port))))
		d.addAgent(in, agent)
	case r.Name == conf.Driver:
		d.annotateMissing(scraped(servletPath(in.Properties), uiPort(in.Properties)))
	}
}

// monitored reports whether the application wants its metrics scraped.
func monitored(in Input) bool {
	return in.App.Spec.Monitoring != nil && in.App.Spec.Monitoring.Prometheus != nil
}

// servletPath returns the path of the driver's metrics. It ends with a slash, because Spark redirects a request without
// it.
func servletPath(p conf.Properties) string {
	return strings.TrimRight(p.First(conf.ServletPath, conf.DriverSinkPath, conf.PrometheusSinkPath), "/") + "/"
}

// uiPort returns the port of Spark's web interface.
func uiPort(p conf.Properties) string { return p.Get(conf.UIPort, strconv.Itoa(DefaultUIPort)) }

// annotateMissing adds the annotations that the pod does not have yet.
func (d *draft) annotateMissing(annotations map[string]string) {
	d.pod.Annotations = merged(annotations, d.pod.Annotations)
}

// addAgent adds the port of the JMX exporter to the container, and mounts its rules from the ConfigMap of the attempt
// unless the user provides rules.
func (d *draft) addAgent(in Input, agent *conf.Agent) {
	port := corev1.ContainerPort{Name: agentPortName, ContainerPort: agent.Port, Protocol: corev1.ProtocolTCP}
	same := func(p corev1.ContainerPort) bool { return p.Name == port.Name || p.ContainerPort == port.ContainerPort }
	if !slices.ContainsFunc(d.container.Ports, same) {
		d.container.Ports = append(d.container.Ports, port)
	}
	if agent.OwnRules {
		return
	}
	d.mount(
		configMapVolume(agentVolume, NamesOf(in.App, in.Run, in.Attempt).ConfigMap, corev1.KeyToPath{Key: agentRulesKey, Path: conf.AgentRulesFile}),
		corev1.VolumeMount{MountPath: conf.AgentRulesFolder, ReadOnly: true})
}

// metricsStep sets up the other objects for Prometheus. The servlet shows the metrics of executors at a second path of
// the driver. The annotations of a pod can name only one path, so the Service gets those for the second. With the JMX
// exporter, the NetworkPolicy of the executors has to allow connections to its port.
func metricsStep(b *build) error {
	// Without a Service its step has failed.
	if !monitored(b.in) || b.service == nil {
		return nil
	}
	agent := conf.AgentOf(&b.in.App.Spec)
	if agent == nil {
		b.service.Annotations = merged(scraped(conf.ExecutorMetricsPath, uiPort(b.given)), b.service.Annotations)
		return nil
	}
	if !agent.OwnRules {
		b.data[agentRulesKey] = agentRules
	}
	if b.networkPolicy != nil {
		b.networkPolicy.Spec.Ingress = append(b.networkPolicy.Spec.Ingress, networkingv1.NetworkPolicyIngressRule{
			Ports: []networkingv1.NetworkPolicyPort{{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(agent.Port))}},
		})
	}
	return nil
}
