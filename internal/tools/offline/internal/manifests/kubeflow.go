// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
)

// moved are the remedies for fields of kubeflow's spark-operator that do not exist here with the same name, by their
// paths. ROLE stands for driver or executor. The tables in docs/adoption.md say more.
var moved = map[string]string{
	"spec.mode":                                           "remove it: drivers always run in the cluster",
	"spec.volumes":                                        "move it to driver.volumes and executor.volumes",
	"spec.nodeSelector":                                   "move it to driver.nodeSelector and executor.nodeSelector",
	"spec.timeToLiveSeconds":                              "write ttlAfterFinished, such as 1h",
	"spec.batchScheduler":                                 "write queue.gate: Volcano or YuniKorn",
	"spec.batchSchedulerOptions":                          "write queue.name and queue.priorityClassName",
	"spec.sparkUIOptions":                                 "write ui.ingress",
	"spec.driverIngressOptions":                           "write driverService, and an Ingress of your own for it",
	"spec.driverPodDisruptionBudget":                      "write podDisruptionBudget: Driver",
	"spec.failureRetries":                                 "write restartPolicy.maxAttempts",
	"spec.retryInterval":                                  "write restartPolicy.backoff.initial, such as 10s",
	"spec.pythonVersion":                                  "remove it: the image decides",
	"spec.restartPolicy.onFailureRetries":                 "write maxAttempts, which also counts the first attempt",
	"spec.restartPolicy.onFailureRetryInterval":           "write backoff.initial, such as 10s",
	"spec.restartPolicy.onSubmissionFailureRetries":       "remove it: nothing is submitted",
	"spec.restartPolicy.onSubmissionFailureRetryInterval": "remove it: nothing is submitted",
	"spec.dynamicAllocation.shuffleTrackingEnabled":       "set spark.dynamicAllocation.shuffleTracking.enabled in sparkConf",
	"spec.monitoring.exposeDriverMetrics":                 "write monitoring.prometheus: {}",
	"spec.monitoring.exposeExecutorMetrics":               "write monitoring.prometheus: {}",
	"spec.monitoring.metricsProperties":                   "move it to metrics.properties of the ConfigMap sparkConfigMap",
	"spec.monitoring.metricsPropertiesFile":               "move the file to metrics.properties of the ConfigMap sparkConfigMap",
	"spec.monitoring.prometheus.configFile":               "write jmxExporterConfig",
	"spec.monitoring.prometheus.configuration":            "move it to a file of configMaps, and name that in jmxExporterConfig",
	"spec.monitoring.prometheus.portName":                 "remove it: the port is named jmx-exporter",

	"spec.driver.serviceAccount":      "write serviceAccountName",
	"spec.executor.serviceAccount":    "set spark.kubernetes.authenticate.executor.serviceAccountName in sparkConf",
	"spec.driver.kubernetesMaster":    "remove it: drivers use the cluster that they run in",
	"spec.driver.serviceLabels":       "write ui.serviceMetadata.labels",
	"spec.driver.serviceAnnotations":  "write ui.serviceMetadata.annotations",
	"spec.ROLE.memoryLimit":           "remove it, and raise memoryOverhead: the limit is what is requested",
	"spec.ROLE.envVars":               "write env, a list of name and value",
	"spec.ROLE.envSecretKeyRefs":      "write env, with valueFrom.secretKeyRef",
	"spec.ROLE.configMaps":            "write volumes and volumeMounts",
	"spec.ROLE.secrets":               "write volumes and volumeMounts",
	"spec.ROLE.sidecars":              "move it to template.spec.initContainers, each with restartPolicy: Always",
	"spec.ROLE.podSecurityContext":    "move it to template.spec.securityContext",
	"spec.ROLE.securityContext":       inContainer,
	"spec.ROLE.lifecycle":             inContainer,
	"spec.ROLE.ports":                 inContainer,
	"spec.ROLE.initContainers":        inTemplate,
	"spec.ROLE.hostAliases":           inTemplate,
	"spec.ROLE.hostNetwork":           inTemplate,
	"spec.ROLE.dnsConfig":             inTemplate,
	"spec.ROLE.priorityClassName":     inTemplate,
	"spec.ROLE.schedulerName":         inTemplate,
	"spec.ROLE.shareProcessNamespace": inTemplate,

	"spec.ROLE.terminationGracePeriodSeconds": inTemplate,

	"spec.successfulRunHistoryLimit": "write successfulHistoryLimit",
	"spec.failedRunHistoryLimit":     "write failedHistoryLimit",
}

const (
	inTemplate  = "move it to template.spec"
	inContainer = "move it to template.spec.containers, into an entry named spark-kubernetes-ROLE"
)

// movedTo returns the message about an unknown field if kubeflow's operator has it; empty otherwise.
func movedTo(path string) string {
	name, inTemplates := strings.CutPrefix(path, "spec.template.")
	// In a schedule of kubeflow's operator, template has the fields of an application.
	if inTemplates && isOfApplications(name) {
		return missing(name, "move it to spec.template.spec")
	}
	name = path[strings.LastIndexByte(path, '.')+1:]
	if remedy := moved[path]; remedy != "" {
		return missing(name, remedy)
	}
	for _, role := range []string{"driver", "executor"} {
		if remedy := moved["spec.ROLE."+name]; remedy != "" && path == "spec."+role+"."+name {
			return missing(name, strings.ReplaceAll(remedy, "ROLE", role))
		}
	}
	return ""
}

// isOfApplications reports whether the spec of an application has a field, or has it in kubeflow's operator.
func isOfApplications(name string) bool {
	return moved["spec."+name] != "" || len(strictdecode.Decode(fmt.Appendf(nil, "{%q:null}", name), "", &v1alpha1.SparkApplicationSpec{})) == 0
}

// missing returns the message about a field that does not exist.
func missing(name, remedy string) string {
	return fmt.Sprintf("unknown field %q: %s", name, remedy)
}
