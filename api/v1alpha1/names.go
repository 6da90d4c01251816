// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Finalizer keeps an application until its pods are gone and its quota is released. It comes with the first grant.
const Finalizer = Group + "/finalizer"

// FieldOwner is the field manager of everything that the operator writes. It must never change: field ownership depends
// on it.
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

// GuardedLabel on a namespace, with the value "true", has the executors of every application wait behind
// QuotaSchedulingGate.
const GuardedLabel = Group + "/guarded"

// Labels of Spark itself on drivers and executors.
const (
	SparkRoleLabel     = "spark-role"
	SparkRoleDriver    = "driver"
	SparkRoleExecutor  = "executor"
	SparkSelectorLabel = "spark-app-selector"
)

// What Kueue knows applications and pods by.
const (
	// KueueQueueLabel names a LocalQueue on an object. An application may bear it; the operator does not write it.
	KueueQueueLabel = "kueue.x-k8s.io/queue-name"
	// KueueSchedulingGate is the scheduling gate of Kueue's integration of pods.
	KueueSchedulingGate = "kueue.x-k8s.io/admission"
)

// Annotations on namespaces.
const (
	// DefaultQueueAnnotation names the queue of applications that name none.
	DefaultQueueAnnotation = Group + "/default-queue"
	// DefaultGateAnnotation names the gate of applications that name none.
	DefaultGateAnnotation = Group + "/default-gate"
	// AllowedGatesAnnotation lists, separated by commas, the gates that applications of the namespace may use, in the
	// place of the operator's list.
	AllowedGatesAnnotation = Group + "/allowed-gates"
	// AllowedQueuesAnnotation lists, separated by commas, the queues that applications and Spark pods of the namespace
	// may use.
	AllowedQueuesAnnotation = Group + "/allowed-queues"
	// AllowedServiceAccountsAnnotation lists, separated by commas, the service accounts that pods of applications of
	// the namespace may use.
	AllowedServiceAccountsAnnotation = Group + "/allowed-service-accounts"
	// LogTailAnnotation with a value other than true keeps ends of logs out of the status of the namespace's
	// applications.
	LogTailAnnotation = Group + "/log-tail"
)

// ApplicationIDToken stands for Spark's id of an attempt in the address of a history server.
const ApplicationIDToken = "{{applicationID}}"

// UIServiceAnnotation lists, on the Service of an attempt, the keys that spec.ui.serviceMetadata has added.
const UIServiceAnnotation = Group + "/ui-service"

const (
	// DefaultQueue is the queue of applications where neither they nor their namespace name one.
	DefaultQueue = "default"
	// DefaultFlavor is the built-in flavor: any node.
	DefaultFlavor = "default"
	// DriverPodSet and ExecutorPodSet are the pod sets of an application.
	DriverPodSet   = "driver"
	ExecutorPodSet = "executor"
)
