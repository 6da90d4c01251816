// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

// prefix begins the key of every property that Spark reads.
const prefix = "spark."

// Keys of properties that Sparkgate reads or writes.
const (
	AppName       = "spark.app.name"
	AppID         = "spark.app.id"
	AppSubmitTime = "spark.app.submitTime"
	Master        = "spark.master"
	DeployMode    = "spark.submit.deployMode"
	Jars          = "spark.jars"
	Files         = "spark.files"
	Archives      = "spark.archives"
	PyFiles       = "spark.submit.pyFiles"
	Packages      = "spark.jars.packages"
	PackageExcl   = "spark.jars.excludes"
	Repositories  = "spark.jars.repositories"

	DriverCores            = "spark.driver.cores"
	DriverMemory           = "spark.driver.memory"
	DriverMemoryOverhead   = "spark.driver.memoryOverhead"
	DriverMinOverhead      = "spark.driver.minMemoryOverhead"
	DriverOverheadFactor   = "spark.driver.memoryOverheadFactor"
	DriverJavaOptions      = "spark.driver.extraJavaOptions"
	DriverHost             = "spark.driver.host"
	DriverBindAddress      = "spark.driver.bindAddress"
	DriverPort             = "spark.driver.port"
	DriverBlockManagerPort = "spark.driver.blockManager.port"
	BlockManagerPort       = "spark.blockManager.port"
	UIPort                 = "spark.ui.port"
	UIEnabled              = "spark.ui.enabled"
	ConnectPort            = "spark.connect.grpc.binding.port"
	LocalDir               = "spark.local.dir"
	PySparkPython          = "spark.pyspark.python"
	PySparkDriverPython    = "spark.pyspark.driver.python"

	ExecutorInstances      = "spark.executor.instances"
	ExecutorCores          = "spark.executor.cores"
	ExecutorMemory         = "spark.executor.memory"
	ExecutorMemoryOverhead = "spark.executor.memoryOverhead"
	ExecutorMinOverhead    = "spark.executor.minMemoryOverhead"
	ExecutorOverheadFactor = "spark.executor.memoryOverheadFactor"
	ExecutorJavaOptions    = "spark.executor.extraJavaOptions"
	ExecutorPySparkMemory  = "spark.executor.pyspark.memory"
	OffHeapEnabled         = "spark.memory.offHeap.enabled"
	OffHeapSize            = "spark.memory.offHeap.size"

	DynamicAllocationEnabled = "spark.dynamicAllocation.enabled"
	DynamicAllocationInitial = "spark.dynamicAllocation.initialExecutors"
	DynamicAllocationMin     = "spark.dynamicAllocation.minExecutors"
	DynamicAllocationMax     = "spark.dynamicAllocation.maxExecutors"
	AllocationMaximum        = "spark.kubernetes.allocation.maximum"
	ShuffleTrackingEnabled   = "spark.dynamicAllocation.shuffleTracking.enabled"
	ShuffleTrackingTimeout   = "spark.dynamicAllocation.shuffleTracking.timeout"
	DecommissionEnabled      = "spark.decommission.enabled"
	// DriverDefaultOptions and ExecutorDefaultOptions are Java options that come before those of the user, as a
	// platform sets them.
	DriverDefaultOptions   = "spark.driver.defaultJavaOptions"
	ExecutorDefaultOptions = "spark.executor.defaultJavaOptions"
	// PrometheusEnabled shows the metrics of executors in the driver's web interface; the sinks show those of their own
	// process. In the driver, DriverSinkPath wins over PrometheusSinkPath.
	PrometheusEnabled  = "spark.ui.prometheus.enabled"
	PrometheusSink     = "spark.metrics.conf.*.sink.prometheusServlet.class"
	PrometheusSinkPath = "spark.metrics.conf.*.sink.prometheusServlet.path"
	DriverSinkPath     = "spark.metrics.conf.driver.sink.prometheusServlet.path"
	JMXSink            = "spark.metrics.conf.*.sink.jmx.class"
	// RedactionRegex determines which properties Spark hides in its web interface and event log.
	RedactionRegex = "spark.redaction.regex"
	// ShuffleServiceEnabled and ShuffleIOPlugin are other ways to keep shuffle data when executors end.
	ShuffleServiceEnabled = "spark.shuffle.service.enabled"
	ShuffleIOPlugin       = "spark.shuffle.sort.io.plugin.class"
	// StorageDecommissionEnabled makes executors that are decommissioned hand over their blocks, if DecommissionEnabled
	// is on.
	StorageDecommissionEnabled = "spark.storage.decommission.enabled"
	// DecommissionInterval is the pause between two checks of what is left to hand over.
	DecommissionInterval = "spark.storage.decommission.replicationReattemptInterval"
	// DecommissionShuffleBlocks is on by default if decommissioning is.
	DecommissionShuffleBlocks = "spark.storage.decommission.shuffleBlocks.enabled"
)

// Keys of properties of Spark's client for Kubernetes.
const (
	Namespace              = "spark.kubernetes.namespace"
	Image                  = "spark.kubernetes.container.image"
	ImagePullPolicy        = "spark.kubernetes.container.image.pullPolicy"
	ImagePullSecrets       = "spark.kubernetes.container.image.pullSecrets"
	MemoryOverheadFactor   = "spark.kubernetes.memoryOverheadFactor"
	ResourceType           = "spark.kubernetes.resource.type"
	SubmitInDriver         = "spark.kubernetes.submitInDriver"
	DriverMaster           = "spark.kubernetes.driver.master"
	HadoopConfigMap        = "spark.kubernetes.hadoop.configMapName"
	Keytab                 = "spark.kerberos.keytab"
	Principal              = "spark.kerberos.principal"
	Krb5ConfigMap          = "spark.kubernetes.kerberos.krb5.configMapName"
	TokenSecretName        = "spark.kubernetes.kerberos.tokenSecret.name"
	TokenSecretKey         = "spark.kubernetes.kerberos.tokenSecret.itemKey"
	ExecutorHadoopMap      = "spark.kubernetes.executor.hadoopConfigMapName"
	NodeSelectorPrefix     = "spark.kubernetes.node.selector."
	PrivilegeEscalation    = "spark.kubernetes.securityContext.allowPrivilegeEscalation"
	SchedulerName          = "spark.kubernetes.scheduler.name"
	LegacyAccessMode       = "spark.kubernetes.legacy.useReadWriteOnceAccessMode"
	LocalDirsTmpfs         = "spark.kubernetes.local.dirs.tmpfs"
	ConfigMapMaxSize       = "spark.kubernetes.configMap.maxSize"
	PodsAllocator          = "spark.kubernetes.allocation.pods.allocator"
	HadoopPrefix           = "spark.hadoop."
	DriverEnvPrefix        = "spark.kubernetes.driverEnv."
	ExecutorEnvPrefix      = "spark.executorEnv."
	DriverResourcePrefix   = "spark.driver.resource."
	ExecutorResourcePrefix = "spark.executor.resource."

	DriverPodName        = "spark.kubernetes.driver.pod.name"
	DriverTemplateFile   = "spark.kubernetes.driver.podTemplateFile"
	DriverServiceAccount = "spark.kubernetes.authenticate.driver.serviceAccountName"
	// ExecutorServiceAccount is used if the executor template sets no account in serviceAccount, the old name of the
	// field. If it is not set either, the driver's account is used (ExecutorKubernetesCredentialsFeatureStep).
	ExecutorServiceAccount = "spark.kubernetes.authenticate.executor.serviceAccountName"
	DriverExcludedSteps    = "spark.kubernetes.driver.pod.excludedFeatureSteps"
	// DriverServiceDelete says whether the end of a session deletes the driver's Service.
	DriverServiceDelete   = "spark.kubernetes.driver.service.deleteOnTermination"
	DriverServiceLabels   = "spark.kubernetes.driver.service.label."
	DriverServiceNotes    = "spark.kubernetes.driver.service.annotation."
	DriverServiceIPPolicy = "spark.kubernetes.driver.service.ipFamilyPolicy"
	DriverServiceFamilies = "spark.kubernetes.driver.service.ipFamilies"
	DriverServiceNotReady = "spark.kubernetes.driver.service.publishNotReadyAddresses"

	ExecutorTemplateFile        = "spark.kubernetes.executor.podTemplateFile"
	ExecutorPodNamePrefix       = "spark.kubernetes.executor.podNamePrefix"
	ExecutorDeleteOnTermination = "spark.kubernetes.executor.deleteOnTermination"
	// ExecutorGracePeriod is the termination grace period of executors, from Spark 4.1 on.
	ExecutorGracePeriod = "spark.kubernetes.executor.terminationGracePeriodSeconds"
)

// formerNames are deprecated names of properties, from jobs that once ran on YARN. Spark still reads them if the
// current name is not set (SparkConf.configsWithAlternatives).
var formerNames = map[string]string{
	DriverMemoryOverhead:   "spark.yarn.driver.memoryOverhead",
	ExecutorMemoryOverhead: "spark.yarn.executor.memoryOverhead",
	OffHeapEnabled:         "spark.unsafe.offHeap",
	Keytab:                 "spark.yarn.keytab",
	Principal:              "spark.yarn.principal",
}

// presentName returns the current name of a property if key is a deprecated one, else key.
func presentName(key string) string {
	for present, former := range formerNames {
		if key == former {
			return present
		}
	}
	return key
}

// Role is driver or executor, spelled as in the names of properties.
type Role string

// The two roles.
const (
	Driver   Role = "driver"
	Executor Role = "executor"
)

// Key returns the key spark.kubernetes.<role>.<rest>. If rest ends with a dot, the result is a prefix.
func (r Role) Key(rest string) string { return "spark.kubernetes." + string(r) + "." + rest }
