// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import "strings"

// how says what becomes of a field. The zero value is a field that is translated together with others.
type how struct {
	// to is a field of our spec, property a property of Spark or, for a map, the prefix of several; pod is a field of the
	// pod's spec in the template of the role, container one of Spark's container there. ROLE stands for driver or executor.
	to, property, pod, container string
	// note says why the field is left out, refuse what to do instead; neither holds for the value only.
	note, refuse, only string
}

var together = how{}

// sameName stands for the path of the field itself; in a pod, for its last part.
const sameName = "="

// entries are fields of which the same holds.
type entries struct {
	how
	names string
}

// fields has every field of their SparkApplication below spec. ROLE stands for driver and executor, [] for the entries of
// a list. What is below an entry belongs to it.
var fields = table([]entries{
	{how{to: sameName}, "type imagePullPolicy imagePullSecrets mainApplicationFile arguments proxyUser hadoopConf memoryOverheadFactor suspend " +
		"deps.jars deps.files deps.pyFiles deps.archives deps.packages deps.excludePackages deps.repositories " +
		"dynamicAllocation.enabled dynamicAllocation.initialExecutors dynamicAllocation.minExecutors dynamicAllocation.maxExecutors " +
		"executor.instances executor.deleteOnTermination"},
	{how{to: sameName}, "ROLE.cores ROLE.coreRequest ROLE.coreLimit ROLE.memory ROLE.memoryOverhead ROLE.gpu.name ROLE.gpu.quantity ROLE.javaOptions " +
		"ROLE.envFrom ROLE.tolerations ROLE.affinity"},
	{how{to: "driver.serviceAccountName"}, "driver.serviceAccount"},
	{how{to: "ui.serviceMetadata.labels"}, "sparkUIOptions.serviceLabels"},
	{how{pod: sameName}, "ROLE.dnsConfig ROLE.priorityClassName ROLE.shareProcessNamespace ROLE.terminationGracePeriodSeconds"},
	{how{pod: "securityContext"}, "ROLE.podSecurityContext"},
	{how{container: sameName}, "ROLE.securityContext ROLE.lifecycle"},
	{how{property: "spark.kubernetes.authenticate.executor.serviceAccountName"}, "executor.serviceAccount"},
	{how{property: "spark.kubernetes.driver.service.annotation."}, "driver.serviceAnnotations"},
	{how{property: "spark.kubernetes.driver.service.label."}, "driver.serviceLabels"},

	// program.go
	{together, "sparkVersion image mainClass sparkConf sparkConfigMap hadoopConfigMap ROLE.image"},
	// pods.go
	{together, "volumes nodeSelector ROLE.memoryLimit ROLE.env ROLE.envVars ROLE.envSecretKeyRefs ROLE.labels ROLE.annotations ROLE.volumeMounts " +
		"ROLE.configMaps[].name ROLE.configMaps[].path ROLE.secrets[].name ROLE.secrets[].path ROLE.secrets[].secretType ROLE.nodeSelector ROLE.template " +
		"ROLE.sidecars ROLE.initContainers ROLE.hostNetwork ROLE.hostAliases ROLE.ports[].name ROLE.ports[].protocol ROLE.ports[].containerPort"},
	// life.go; driverPodDisruptionBudget is of a later version than v2.5.2.
	{together, "timeToLiveSeconds restartPolicy.type restartPolicy.onFailureRetries restartPolicy.onFailureRetryInterval driver.podName ROLE.schedulerName " +
		"dynamicAllocation.shuffleTrackingEnabled dynamicAllocation.shuffleTrackingTimeout batchScheduler batchSchedulerOptions.queue " +
		"batchSchedulerOptions.priorityClassName sparkUIOptions.serviceAnnotations driverIngressOptions[].servicePort driverIngressOptions[].servicePortName " +
		"driverIngressOptions[].ingressURLFormat driverPodDisruptionBudget"},
	// monitoring.go
	{together, "monitoring.exposeDriverMetrics monitoring.exposeExecutorMetrics monitoring.metricsProperties monitoring.metricsPropertiesFile " +
		"monitoring.prometheus.jmxExporterJar monitoring.prometheus.port monitoring.prometheus.configFile monitoring.prometheus.configuration"},

	{how{only: "cluster", refuse: "drivers always run in a pod: write cluster, or keep this job where it is"}, "mode"},
	{how{only: "https://kubernetes.default.svc", refuse: "drivers use the cluster that they run in: remove it, or keep this job where it is"}, "driver.kubernetesMaster"},
	{how{only: "3", note: "left out: the image decides which Python runs"}, "pythonVersion"},
	{how{note: "left out: nothing is submitted here; what can be tried again, such as an API server that is away, is, without a limit"},
		"restartPolicy.onSubmissionFailureRetries restartPolicy.onSubmissionFailureRetryInterval"},
	{how{note: "left out: it has no effect there either; restartPolicy counts"}, "failureRetries retryInterval"},
	{how{only: "jmx-exporter", note: "left out: the port is named jmx-exporter"}, "monitoring.prometheus.portName"},
	{how{note: "left out: what the job asks for is always computed from its pods"}, "batchSchedulerOptions.resources"},
	{how{only: "ClusterIP", note: "left out: the web interface has a Service of the operator's, on the port of spark.ui.port"},
		"sparkUIOptions.servicePort sparkUIOptions.servicePortName sparkUIOptions.serviceType"},
	{how{note: "left out: write ui.ingress or ui.route with the host name, which their operator has in a flag"},
		"sparkUIOptions.ingressAnnotations sparkUIOptions.ingressTLS"},
	{how{only: "ClusterIP", note: "left out: write a Service of your own, with the selector of driverService"},
		"driverIngressOptions[].serviceType driverIngressOptions[].serviceAnnotations driverIngressOptions[].serviceLabels"},
	{how{note: "left out: write it into an Ingress of your own for the Service of driverService"},
		"driverIngressOptions[].ingressAnnotations driverIngressOptions[].ingressTLS"},
})

// scheduleFields has every field of their ScheduledSparkApplication below spec.
var scheduleFields = table([]entries{
	{together, "schedule timeZone template"},
	{how{to: sameName}, "suspend concurrencyPolicy"},
	{how{to: "successfulHistoryLimit"}, "successfulRunHistoryLimit"},
	{how{to: "failedHistoryLimit"}, "failedRunHistoryLimit"},
})

// table returns what becomes of each field.
func table(all []entries) map[string]how {
	made := map[string]how{}
	for _, e := range all {
		for field := range strings.FieldsSeq(e.names) {
			h := e.how
			last := field[strings.LastIndexByte(field, '.')+1:]
			h.to = strings.Replace(h.to, sameName, field, 1)
			h.pod, h.container = strings.Replace(h.pod, sameName, last, 1), strings.Replace(h.container, sameName, last, 1)
			made[field] = h
		}
	}
	return made
}
