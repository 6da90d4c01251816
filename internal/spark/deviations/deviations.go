// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package deviations

// Deviation is an intended difference from spark-submit.
type Deviation struct {
	// Variable is an environment variable of the submitting machine that causes the difference; empty if it always
	// occurs.
	Variable string
	// Where are the places of the difference: object and path, with one word for each step. A star at the beginning or
	// end of a step matches anything. The objects are pod, service, configmap, networkpolicy, claims (by volume),
	// properties and executor (the executor template). Elements of lists are named, not numbered.
	Where []string
	// Reason is why the difference is intended.
	Reason string
}

// Intended are all intended differences from what spark-submit sends. The test of the recordings reads them: it fails
// for a difference that is not listed, and for an entry that no recording shows. Names that Spark generates at random
// are compared by how they are used.
var Intended = []Deviation{
	{
		Where: []string{
			"pod metadata ownerReferences", "service metadata ownerReferences", "configmap metadata ownerReferences",
			"networkpolicy metadata ownerReferences", "claims * metadata ownerReferences",
		},
		Reason: "the application owns all objects of an attempt, so that deleting it deletes them; spark-submit makes the pod the owner",
	},
	{
		Where: []string{
			"pod metadata labels sparkgate.io/*", "service metadata labels sparkgate.io/*", "configmap metadata labels sparkgate.io/*",
			"networkpolicy metadata labels sparkgate.io/*", "claims * metadata labels sparkgate.io/*", "executor metadata labels sparkgate.io/*",
		},
		Reason: "everything that an attempt creates can be found by application, run and attempt",
	},
	{
		Where:  []string{"pod metadata namespace", "service metadata namespace", "claims * metadata namespace"},
		Reason: "spark-submit sends them to a namespace without naming it in the object",
	},
	{
		Where: []string{
			"pod metadata annotations kubectl.kubernetes.io/default-container", "pod metadata annotations cluster-autoscaler.kubernetes.io/safe-to-evict",
		},
		Reason: "kubectl logs shows the driver rather than a sidecar, and the cluster autoscaler does not end a run to save a node",
	},
	{
		Where: []string{
			"pod spec securityContext", "pod spec containers spark-kubernetes-driver securityContext",
			"executor spec securityContext", "executor spec containers spark-kubernetes-executor securityContext",
		},
		Reason: "podSecurity Restricted, the default, fills in empty security fields",
	},
	{
		Where: []string{
			"pod spec containers * terminationMessagePolicy", "executor spec containers * terminationMessagePolicy",
		},
		Reason: "FallbackToLogsOnError, which a template may change: executors that fail say why, although Spark soon deletes their pods",
	},
	{
		Where: []string{
			"pod spec containers * volumeMounts pod-template-volume", "pod spec volumes pod-template-volume",
			"configmap data podspec-configmap-key", "properties spark.kubernetes.executor.podTemplateFile", "executor spec containers order",
			"executor spec containers spark-kubernetes-executor name", "executor kind", "executor apiVersion",
		},
		Reason: "executors always have a template, for labels and security; it is one more key of the same ConfigMap, which saves a write",
	},
	{
		Where:  []string{"executor spec serviceAccount"},
		Reason: "Spark looks for the account of executors only under this old name of the field, and would otherwise replace the account in the template with the driver's",
	},
	{
		Where:  []string{"properties spark.kubernetes.executor.terminationGracePeriodSeconds"},
		Reason: "from 4.1 on, Spark overwrites the grace period in the executor template with this property, whose default is 30s; here it has the value of the template",
	},
	{
		Where:  []string{"properties spark.kubernetes.driver.podTemplateFile"},
		Reason: "the template of the driver is part of the application; there is no file",
	},
	{
		Where:  []string{"properties spark.master", "properties spark.kubernetes.driver.master"},
		Reason: "drivers use the cluster in which they run; spark-submit writes the address at which it reached the cluster",
	},
	{
		Where:  []string{"properties spark.kubernetes.submission.waitAppCompletion"},
		Reason: "an option of the recorded command",
	},
	{
		Where:  []string{"properties spark.kubernetes.executor.podNamePrefix"},
		Reason: "executors are named like everything else of the attempt; Spark generates a second random prefix",
	},
	{
		Where:  []string{"properties spark.kubernetes.authenticate.submission.*"},
		Reason: "credentials of spark-submit itself, which the driver does not need",
	},
	{
		Where:  []string{"properties spark.dynamicAllocation.shuffleTracking.enabled"},
		Reason: "dynamic allocation without decommissioning needs it: otherwise Spark ends at once",
	},
	{
		Where:  []string{"properties spark.kubernetes.driver.service.deleteOnTermination"},
		Reason: "the operator deletes the Service; Spark would delete it with the first session, so that the executors of a second one could not reach the driver",
	},
	{
		Where:  []string{"pod status"},
		Reason: "the API server drops the status of a new pod",
	},
	{
		Where:  []string{"pod spec volumes * * defaultMode", "pod spec volumes * * items * mode"},
		Reason: "Spark 3.5 reads 0644 in a template as a decimal number, which Kubernetes refuses; here it is read as octal, as intended",
	},
}
