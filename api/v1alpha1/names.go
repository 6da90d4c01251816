// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Finalizer keeps an application until its pods are gone and its quota is released. It is added with the first grant.
const Finalizer = Group + "/finalizer"

// FieldOwner is the field manager of everything that the operator writes. It must never change, because the ownership
// of fields depends on it.
const FieldOwner = "sparkgate"

// Labels on every object that the operator creates and, through the executor template, on executors.
const (
	// ApplicationLabel is the name of the application.
	ApplicationLabel = Group + "/application"
	// ApplicationUIDLabel is the uid of the application.
	ApplicationUIDLabel = Group + "/app-uid"
	// RunLabel is the number of the run.
	RunLabel = Group + "/run"
	// AttemptLabel is the number of the attempt within the run.
	AttemptLabel = Group + "/attempt"
	// QueueLabel is the name of the queue.
	QueueLabel = Group + "/queue"
	// FlavorLabel is the flavor in which an executor was ungated.
	FlavorLabel = Group + "/flavor"
)

// QuotaSchedulingGate is the scheduling gate behind which executors wait for quota.
const QuotaSchedulingGate = Group + "/quota"

// GuardedLabel on a namespace, with the value "true", makes the executors of every application wait behind
// QuotaSchedulingGate.
const GuardedLabel = Group + "/guarded"

// Labels that Spark itself sets on drivers and executors.
const (
	SparkRoleLabel     = "spark-role"
	SparkRoleDriver    = "driver"
	SparkRoleExecutor  = "executor"
	SparkSelectorLabel = "spark-app-selector"
)

// Names by which Kueue recognizes applications and pods.
const (
	// KueueQueueLabel names a LocalQueue on an object. An application may have it; the operator does not set it.
	KueueQueueLabel = "kueue.x-k8s.io/queue-name"
	// KueueSchedulingGate is the scheduling gate of Kueue's pod integration.
	KueueSchedulingGate = "kueue.x-k8s.io/admission"
)

// Annotations on namespaces.
const (
	// DefaultQueueAnnotation names the queue for applications that name none.
	DefaultQueueAnnotation = Group + "/default-queue"
	// DefaultGateAnnotation names the gate for applications that name none.
	DefaultGateAnnotation = Group + "/default-gate"
	// AllowedGatesAnnotation lists the gates that applications of the namespace may use, separated by commas. It
	// replaces the operator's list.
	AllowedGatesAnnotation = Group + "/allowed-gates"
	// AllowedQueuesAnnotation lists the queues that applications and Spark pods of the namespace may use, separated by
	// commas.
	AllowedQueuesAnnotation = Group + "/allowed-queues"
	// AllowedServiceAccountsAnnotation lists the service accounts that pods of applications of the namespace may use,
	// separated by commas.
	AllowedServiceAccountsAnnotation = Group + "/allowed-service-accounts"
)

// ApplicationIDToken is replaced by Spark's id of an attempt in the address of a history server.
const ApplicationIDToken = "{{applicationID}}"

// UIServiceAnnotation lists the keys that spec.ui.serviceMetadata has added to the Service of an attempt.
const UIServiceAnnotation = Group + "/ui-service"

const (
	// DefaultQueue is the queue of applications if neither they nor their namespace name one.
	DefaultQueue = "default"
	// DefaultFlavor is the built-in flavor, which includes all nodes.
	DefaultFlavor = "default"
	// DriverPodSet and ExecutorPodSet are the names of the pod sets of an application.
	DriverPodSet   = "driver"
	ExecutorPodSet = "executor"
	// WorkerInfix is in the names of the workers of a cluster, before their number.
	WorkerInfix = "-worker-"
)
