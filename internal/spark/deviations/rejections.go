// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package deviations

// Rejections are configurations that spark-submit accepts and package validate refuses on purpose. Most of them can
// never work. Where are the fields that its findings name; a star at the end matches anything. The test of the
// recordings reads the list: it fails for a refusal that is not listed, and for an entry that no recording shows.
var Rejections = []Deviation{
	{
		Where:  []string{"spec.sparkConf[spark.driver.memory]"},
		Reason: "the driver's heap size is passed to Java unchanged, which needs the unit k, m, g or t; Spark itself also reads plain numbers, b, mb and Gi",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.driver.memoryOverhead]", "spec.sparkConf[spark.driver.minMemoryOverhead]",
			"spec.sparkConf[spark.driver.memoryOverheadFactor]", "spec.sparkConf[spark.kubernetes.memoryOverheadFactor]",
			"spec.sparkConf[spark.executor.memory]", "spec.sparkConf[spark.executor.memoryOverhead]", "spec.sparkConf[spark.executor.minMemoryOverhead]",
			"spec.sparkConf[spark.executor.memoryOverheadFactor]", "spec.sparkConf[spark.executor.pyspark.memory]", "spec.sparkConf[spark.memory.offHeap.*",
			"spec.sparkConf[spark.kubernetes.executor.request.cores]", "spec.sparkConf[spark.kubernetes.executor.limit.cores]",
			"spec.sparkConf[spark.executor.resource.*", "spec.sparkConf[spark.task.cpus]", "spec.sparkConf[spark.ui.enabled]",
			"spec.sparkConf[spark.decommission.enabled]", "spec.sparkConf[spark.kubernetes.executor.deleteOnTermination]",
			"spec.sparkConf[spark.log.structuredLogging.enabled]", "spec.sparkConf[spark.kubernetes.executor.terminationGracePeriodSeconds]",
		},
		Reason: "the value cannot be read, or is impossible: the driver would end when it starts, or never get an executor",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.driver.request.cores]", "spec.sparkConf[spark.kubernetes.driver.limit.cores]"},
		Reason: "Kubernetes refuses a pod that requests an invalid quantity, or more than its limit",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.driver.port]", "spec.sparkConf[spark.driver.blockManager.port]", "spec.sparkConf[spark.blockManager.port]",
			"spec.sparkConf[spark.ui.port]", "spec.sparkConf[spark.connect.grpc.binding.port]",
		},
		Reason: "executors could not know a port that the system chooses, Spark opens no port below 1024, Kubernetes refuses numbers that are not ports, and all ports must differ",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.executor.podNamePrefix]"},
		Reason: "Kubernetes refuses pods with such a name, so the driver would never get an executor",
	},
	{
		Where: []string{
			"spec.driver.podName", "spec.driver.serviceAccountName", "spec.hadoopConfigMap", "spec.imagePullSecrets[0]",
		},
		Reason: "Kubernetes refuses objects with such a name",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.kubernetes.driver.label.*", "spec.sparkConf[spark.kubernetes.driver.annotation.*",
			"spec.sparkConf[spark.kubernetes.driver.node.selector.*", "spec.sparkConf[spark.kubernetes.node.selector.*",
			"spec.sparkConf[spark.kubernetes.driver.service.label.*",
			"spec.sparkConf[spark.kubernetes.executor.label.*", "spec.sparkConf[spark.kubernetes.executor.annotation.*",
			"spec.sparkConf[spark.kubernetes.executor.node.selector.*",
		},
		Reason: "Kubernetes refuses such a label, annotation or node selector; Spark replaces tokens in labels only from 4.0 on",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.kubernetes.driverEnv.*", "spec.sparkConf[spark.executorEnv.*",
			"spec.sparkConf[spark.kubernetes.driver.secretKeyRef.*", "spec.sparkConf[spark.kubernetes.executor.secretKeyRef.*",
		},
		Reason: "Kubernetes refuses a variable with such a name, or from a Secret without a name or key",
	},
	{
		Where:  []string{"spec.image", "spec.driver.image", "spec.executor.image"},
		Reason: "there is no such image: the name is empty, no kubelet accepts it, or it contains a token, which Spark replaces only from 4.1 on",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.kubernetes.driver.volumes.*", "spec.sparkConf[spark.kubernetes.executor.volumes.*", "spec.driver.volumes", "spec.driver.volumeMounts", "spec.executor.volumeMounts",
			"spec.sparkConf[spark.kubernetes.driver.secrets.*", "spec.sparkConf[spark.kubernetes.executor.secrets.*",
		},
		Reason: "Kubernetes refuses such a volume or mount, also one named after its Secret; a claim is created only if its name contains OnDemand and it has a class and a size, because attempts would share one with a fixed name",
	},
	{
		Where:  []string{"spec.sparkConf[spark.dynamicAllocation.*"},
		Reason: "the driver ends at once if a bound cannot be read, or if the minimum number of executors is above the maximum",
	},
	{
		Where:  []string{"spec.dynamicAllocation.maxExecutors"},
		Reason: "without an upper bound, no queue could hold what the job may use",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.driver.extraJavaOptions]", "spec.sparkConf[spark.driver.defaultJavaOptions]",
			"spec.sparkConf[spark.executor.extraJavaOptions]", "spec.sparkConf[spark.executor.defaultJavaOptions]",
		},
		Reason: "Spark refuses these options when it starts",
	},
	{
		Where:  []string{"spec.sparkConf[spark.kubernetes.driver.pod.excludedFeatureSteps]"},
		Reason: "no driver works without this step, or nothing would lead to its web interface",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.kubernetes.driver.pod.featureSteps]", "spec.sparkConf[spark.kubernetes.executor.pod.featureSteps]",
			"spec.sparkConf[spark.kubernetes.allocation.pods.allocator]",
		},
		Reason: "classes that change pods cannot run here, and executors are created directly",
	},
	{
		Where: []string{
			"spec.mainApplicationFile", "spec.deps.jars[*", "spec.deps.files[*", "spec.deps.pyFiles[*", "spec.deps.archives[*",
			"spec.sparkConf[spark.jars]", "spec.sparkConf[spark.files]", "spec.sparkConf[spark.submit.pyFiles]", "spec.sparkConf[spark.archives]",
		},
		Reason: "a file on the submitting machine, which spark-submit would upload, or a name that the driver cannot fetch",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.kubernetes.authenticate.driver.*", "spec.sparkConf[spark.kerberos.keytab]", "spec.sparkConf[spark.kubernetes.kerberos.*",
		},
		Reason: "a file or token of the submitting machine, which the client puts into a ConfigMap or Secret; no manifest can name such a file, nor should it contain a token",
	},
	{
		Where: []string{
			"spec.sparkConf[spark.pyspark.*", "spec.sparkConf[spark.kubernetes.scheduler.name]", "spec.sparkConf[spark.kubernetes.driver.scheduler.name]",
			"spec.sparkConf[spark.kubernetes.executor.scheduler.name]", "spec.sparkConf[spark.kubernetes.container.image.pullSecrets]",
		},
		Reason: "spark-submit replaces references such as ${env:HOME} on its own machine; a manifest has to contain the values",
	},
	{
		Where:  []string{"spec.mainClass"},
		Reason: "the class name is invalid; with a Python or R file it would be ignored",
	},
	{
		Where:  []string{"spec.driver.template*", "spec.executor.template*"},
		Reason: "a template must not contain what Kubernetes does not know or refuses, what Spark would silently overwrite, or what Spark and Sparkgate use for bookkeeping",
	},
}
