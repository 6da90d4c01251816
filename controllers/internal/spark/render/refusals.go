// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

// Refusals are configurations that the real client takes and package validate refuses by intention: most can never work. Where are the
// fields that its findings name; a star at the end stands for anything. The test of the recordings reads the list: what is refused and not
// here is an error, and so is an entry that no recording shows.
var Refusals = []Deviation{
	{
		Where:  []string{"spec.sparkConf[spark.driver.memory]"},
		Reason: "the heap of the driver is handed to Java as it is written, which does not know units such as Gi, whatever Spark itself takes",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.driver.memoryOverhead]", "spec.sparkConf[spark.executor.memoryOverhead]",
			"spec.sparkConf[spark.executor.memoryOverheadFactor]", "spec.sparkConf[spark.executor.pyspark.memory]",
			"spec.sparkConf[spark.memory.offHeap.size]", "spec.sparkConf[spark.kubernetes.executor.request.cores]",
			"spec.sparkConf[spark.task.cpus]", "spec.sparkConf[spark.ui.enabled]",
		},
		Reason: "the value cannot be read, or cannot be: the driver ends when it starts, or never gets an executor",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.driver.request.cores]", "spec.sparkConf[spark.kubernetes.driver.limit.cores]"},
		Reason: "Kubernetes refuses a pod that requests what is no quantity, or more than its limit",
	},
	{
		Where:  []string{"spec.sparkConf[spark.driver.port]", "spec.sparkConf[spark.blockManager.port]", "spec.sparkConf[spark.ui.port]"},
		Reason: "executors could not know a port that the system chooses, Kubernetes refuses one that is none, and no two may be the same",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.executor.podNamePrefix]"},
		Reason: "Kubernetes refuses pods of such a name, so that the driver would never get an executor",
	},
	{
		Where: []string{
			"spec.driver.podName", "spec.driver.serviceAccountName", "spec.hadoopConfigMap", "spec.imagePullSecrets[0]",
		},
		Reason: "Kubernetes knows no objects of such a name",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.kubernetes.driver.label.*", "spec.driver.labels[*", "spec.sparkConf[spark.kubernetes.driver.annotation.*",
			"spec.sparkConf[spark.kubernetes.driver.node.selector.*", "spec.sparkConf[spark.kubernetes.node.selector.*",
			"spec.sparkConf[spark.kubernetes.driver.service.label.*",
		},
		Reason: "Kubernetes refuses such a label, annotation or node selector; in labels, Spark replaces tokens from 4.0 on only",
	},
	{
		Where:  []string{"spec.image"},
		Reason: "nobody has an image whose name has a token in it, which Spark replaces from 4.1 on only",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.driver.volumes.persistentVolumeClaim.*"},
		Reason: "a claim is made for an attempt if its name has OnDemand in it, with class and size; one of a fixed name would be shared by attempts and go with the first of them",
	},
	{
		Where:  []string{"spec.sparkConf[spark.dynamicAllocation.minExecutors]"},
		Reason: "the driver ends at once when there are to be more executors at least than at most",
	},
	{
		Where:  []string{"spec.dynamicAllocation.maxExecutors"},
		Reason: "without a bound no queue could hold what the job may take",
	},
	{
		Where:  []string{"spec.sparkConf[spark.executor.extraJavaOptions]", "spec.sparkConf[spark.executor.defaultJavaOptions]"},
		Reason: "Spark refuses these options when it starts",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.driver.pod.excludedFeatureSteps]"},
		Reason: "no driver works without this step",
	},
	{
		Where:  []string{"spec.mainClass"},
		Reason: "it is no name of a class; beside a Python or R file it would be ignored",
	},
	{
		Where: []string{
			"spec.driver.template.metadata.labels[*", "spec.driver.template.metadata.namespace",
			"spec.driver.template.metadata.ownerReferences", "spec.driver.template.metadata.finalizers",
		},
		Reason: "Spark and Sparkgate keep their books by these labels and owners; a finalizer would keep the pod and its room when the job is over",
	},
	{
		Where: []string{
			"spec.driver.template.spec.nodeNme", "spec.driver.template.spec.serviceAccountName",
			"spec.driver.template.spec.containers[0].resources.*", "spec.driver.template.spec.containers[0].volumeMounts[0].mountPath",
			"spec.driver.template.spec.containers[2].name",
		},
		Reason: "a template may not say what Kubernetes does not know or refuses, or what Spark would overwrite without a word",
	},
	{
		Where:  []string{"spec.driver.template.spec.containers[0].securityContext.privileged"},
		Reason: "Kubernetes refuses a privileged container that may not gain privileges, and Spark 4.3 forbids it to unless a property allows it",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.kerberos.krb5.path]", "spec.sparkConf[spark.kubernetes.authenticate.driver.oauthToken]"},
		Reason: "a file or token of the submitting machine, of which the client makes a ConfigMap or Secret; no manifest can name such a file, nor should it hold a token",
	},
}
