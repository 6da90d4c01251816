// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Role distinguishes drivers from executors.
type Role uint8

// The roles of a Spark pod.
const (
	Other Role = iota
	Driver
	Executor
)

// Record is what the operator remembers of one pod. A record in the store never changes.
type Record struct {
	// Origin is shared by the executors of an attempt, of which there may be a thousand.
	*Origin
	// Trouble is shared by all pods that have no problem, which are most.
	*Trouble
	Name            string
	UID             types.UID
	Version         uint64 // resource version: later is greater
	Phase           corev1.PodPhase
	Node            string
	Role            Role
	Deleting        bool
	Scheduled       bool
	SchedulingGated bool
	// KueueSchedulingGated reports that Kueue's pod integration has put a scheduling gate on the pod.
	KueueSchedulingGated bool
	Ready                bool
	// Running reports that the Spark container runs now.
	Running bool
	// EndsContainers reports that the kubelet was asked to end all containers of the pod but to keep the pod
	// (EndPatch).
	EndsContainers bool
	// Ended is how the Spark container ended; nil if it has not.
	Ended *Ended
	// Flavor is the flavor in which the operator ungated the pod; empty if it had no scheduling gate.
	Flavor string
	// SchedulingGate is the pod's scheduling gate QuotaSchedulingGate; nil if it has none or has it no longer.
	SchedulingGate *SchedulingGate
	// EndsAt is when the grace period of a pod that is being deleted ends, in seconds since 1970; EndGrace is that
	// period in seconds.
	EndsAt, EndGrace uint32
	// BoundAt is when the pod was bound to its node, or created if that is not known, in seconds since 1970 by the
	// clock of the API server; 0 if it has no node.
	BoundAt uint32
	// StartedAt is when the Spark container started, by the clock of its node, in seconds since 1970; 0 if it has not, or
	// if that is not known.
	StartedAt uint32
	// SilentSince is when the node of a pod that runs stopped answering, in seconds since 1970; 0 if it answers.
	SilentSince uint32
	// CreatedAt is when the pod was created, in seconds since 1970 by the clock of the API server. No client can change
	// it.
	CreatedAt uint32
	// Host is the address by which its master knows a worker; empty for all other pods.
	Host string
}

// Trouble is what Kubernetes reports about a pod with a problem. It never changes once the record is in the store,
// because several records may share it. Messages are cut and redacted.
type Trouble struct {
	// Reason and Message are those of the pod itself: Evicted, NodeLost, …
	Reason, Message string
	// Waiting is why the Spark container, or an init container, cannot start.
	Waiting Waiting
	// Unready is which containers keep a driver from being ready, in the words of Kubernetes.
	Unready string
	// DisruptedBy is the reason of the pod's condition DisruptionTarget, such as PreemptionByScheduler.
	DisruptedBy string
	// DisruptedAt is when that condition became true, in seconds since 1970; 0 if it is not known.
	DisruptedAt uint32
}

// noTrouble is shared by all records without a problem. It never changes.
var noTrouble = &Trouble{}

// Origin is what the executors of an attempt have in common. It never changes, because several records may share it.
type Origin struct {
	Namespace string
	OwnerUID  types.UID // of the controller owner
	// Application, AppUID, Run and Attempt come from the labels of the pod. They are zero if a label is missing, or is
	// not a number.
	Application  string
	AppUID       string
	Queue        string
	Run, Attempt int64
	// CPU (thousandths of a core) and Memory (bytes) are what the pod requests.
	CPU, Memory int64
	// GPU is the number of accelerators, of any kind, that the pod requests.
	GPU int64
	// OtherRequests are all other requests, including accelerators, as "name=amount,name=amount". It is a text so that
	// records can be compared; it is empty for most pods.
	OtherRequests string
	// Grace is the termination grace period in the spec of the pod, in seconds.
	Grace int64
}

// SchedulingGate is the operator's scheduling gate of a pod, and what the pod needs when it is removed.
type SchedulingGate struct {
	// At is its index among the scheduling gates of the pod.
	At int
	// Requests are the pod's requests as a node reserves them, including "pods": 1.
	Requests queueing.Resources
	// NodeSelector (queueing.NodeLabels) and Tolerations are those of the pod itself.
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Excess is a message if the pod has more entries in a field than are remembered; else empty. If it is set, only At
	// is filled in, and the pod stays behind its scheduling gate.
	Excess string
}

// Waiting is why a container cannot start.
type Waiting struct {
	Reason, Message, Image string
}

// Ended is how a container ended.
type Ended struct {
	ExitCode int32
	Signal   int32
	Reason   string
	// Message is what the program, the kubelet or the runtime says about the end.
	Message string
	// Cause is why the program failed, according to the last lines of its log (terminationMessagePolicy
	// FallbackToLogsOnError).
	Cause string
	// At is when it ended, by the clock of its node, in seconds since 1970; 0 if that is not known.
	At int64
}

// maxMessage bounds the messages that are remembered, in bytes. Those of the kubelet may have 4,096, but the first line
// is the one that matters.
const maxMessage = 320

// Active reports whether the pod may still use a node, now or later. The phase decides: a pod that has ended and is
// only kept by a finalizer uses nothing. A pod that is being deleted and has no node will never get one, because the
// API server does not bind it any longer.
func (r *Record) Active() bool {
	return r.Phase != corev1.PodSucceeded && r.Phase != corev1.PodFailed && (r.Node != "" || !r.Deleting)
}

// share replaces the texts of a record by equal ones of another pod of the same application, so that they are stored
// once: an application may have a thousand executors, and each was decoded separately. The record must not be in the
// store yet. It returns whether both have the same origin, which is then shared as well.
func (r *Record) share(other *Record) bool {
	for _, text := range []struct{ mine, theirs *string }{
		{(*string)(&r.Phase), (*string)(&other.Phase)}, {&r.Node, &other.Node}, {&r.Flavor, &other.Flavor},
	} {
		if *text.mine == *text.theirs {
			*text.mine = *text.theirs
		}
	}
	same := *r.Origin == *other.Origin
	if same {
		r.Origin = other.Origin
	}
	return same
}

// RecordOf returns the record of a pod.
func RecordOf(pod *corev1.Pod) *Record {
	r := &Record{
		Origin: &Origin{
			Namespace:   pod.Namespace,
			Application: pod.Labels[v1alpha1.ApplicationLabel],
			AppUID:      pod.Labels[v1alpha1.ApplicationUIDLabel],
			Queue:       pod.Labels[v1alpha1.QueueLabel],
			Run:         number(pod.Labels[v1alpha1.RunLabel]),
			Attempt:     number(pod.Labels[v1alpha1.AttemptLabel]),
		},
		Trouble:  &Trouble{Reason: pod.Status.Reason, Message: redact.Line(pod.Status.Message, maxMessage)},
		Name:     pod.Name,
		UID:      pod.UID,
		Version:  VersionOf(pod.ResourceVersion),
		Role:     roleOf(pod.Labels[v1alpha1.SparkRoleLabel]),
		Phase:    pod.Status.Phase,
		Node:     pod.Spec.NodeName,
		Deleting: pod.DeletionTimestamp != nil,
		Flavor:   pod.Labels[v1alpha1.FlavorLabel],

		CreatedAt:            uint32(max(0, pod.CreationTimestamp.Unix())),
		EndsContainers:       ptr.Deref(pod.Spec.ActiveDeadlineSeconds, 0) == endedDeadline,
		KueueSchedulingGated: slices.Contains(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.KueueSchedulingGate}),
	}
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		r.OwnerUID = owner.UID
	}
	if r.Role == Executor && strings.Contains(pod.Name, v1alpha1.WorkerInfix) {
		r.Host = pod.Status.PodIP
	}
	requests := amounts.ClampPod(pod)
	r.CPU, r.Memory = requests[string(corev1.ResourceCPU)], requests[string(corev1.ResourceMemory)]
	for name, amount := range requests {
		if usage.IsGPU(name) {
			r.GPU = amounts.Plus(r.GPU, amount)
		}
	}
	r.OtherRequests = otherRequests(requests)
	r.readGrace(pod)
	r.SchedulingGate = gateOf(pod, requests)
	r.readConditions(pod)
	r.readContainers(pod)
	if *r.Trouble == *noTrouble {
		r.Trouble = noTrouble
	}
	return r
}

// gateOf returns the operator's scheduling gate of a pod with these requests; nil if it has none.
func gateOf(pod *corev1.Pod, requests queueing.Resources) *SchedulingGate {
	at := slices.Index(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate})
	if at < 0 {
		return nil
	}
	if excess := excessOf(pod, requests); excess != "" {
		return &SchedulingGate{At: at, Excess: excess}
	}
	return &SchedulingGate{At: at, Requests: requests, NodeSelector: queueing.NodeLabels(&pod.Spec), Tolerations: pod.Spec.Tolerations}
}

// readContainers reads the state of the Spark container. Of other containers it reads only why they keep the Spark
// container from starting.
func (r *Record) readContainers(pod *corev1.Pod) {
	for i := range pod.Status.InitContainerStatuses {
		if w := waitingOf(&pod.Status.InitContainerStatuses[i]); r.Waiting.Reason == "" && w.Reason != "" {
			r.Waiting = w
		}
	}
	name := SparkContainer(pod)
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		if w := waitingOf(s); w.Reason != "" && (s.Name == name || r.Waiting.Reason == "") {
			r.Waiting = w
		}
		if s.Name == name {
			r.Running = s.State.Running != nil
			r.Ended = endedOf(s, pod.Spec.Containers)
			r.StartedAt = startOf(s)
		}
	}
	r.readInitFailure(pod)
}

// readInitFailure sets the reason of a pod that failed because an init container did. Kubernetes gives no reason for
// it.
func (r *Record) readInitFailure(pod *corev1.Pod) {
	if r.Phase != corev1.PodFailed || r.Reason != "" || r.Ended != nil || r.DisruptedBy != "" {
		return
	}
	for i := range pod.Status.InitContainerStatuses {
		s := &pod.Status.InitContainerStatuses[i]
		if e := endedOf(s, pod.Spec.InitContainers); e != nil && e.ExitCode != 0 {
			r.Reason = ReasonInitContainer
			r.Message = sentence(fmt.Sprintf("init container %s ended with exit code %d", s.Name, e.ExitCode), e.Reason, cmp.Or(e.Cause, e.Message))
		}
	}
}

// startOf returns when a container started, in seconds since 1970; 0 if that is not known.
func startOf(s *corev1.ContainerStatus) uint32 {
	switch {
	case s.State.Running != nil:
		return seconds(s.State.Running.StartedAt.Unix())
	case s.State.Terminated != nil:
		return seconds(s.State.Terminated.StartedAt.Unix())
	}
	return 0
}

// endedOf returns how a container ended; nil if it has not.
func endedOf(s *corev1.ContainerStatus, containers []corev1.Container) *Ended {
	t := s.State.Terminated
	if t == nil {
		return nil
	}
	e := &Ended{ExitCode: t.ExitCode, Signal: t.Signal, Reason: t.Reason, Message: redact.Line(t.Message, maxMessage)}
	if !t.FinishedAt.IsZero() {
		e.At = t.FinishedAt.Unix()
	}
	if e.Reason == ReasonError && fallsBackToLog(containers, s.Name) {
		// Several lines are the log: what a program writes as its message is one line.
		e.Cause = cause.Find(t.Message)
		if strings.Contains(strings.TrimSpace(t.Message), "\n") || e.Cause != "" && !strings.HasPrefix(e.Cause, cause.LastLine) {
			e.Message = ""
		} else {
			e.Cause = ""
		}
	}
	return e
}

// fallsBackToLog reports whether the message of a container that failed may be the end of its log.
func fallsBackToLog(containers []corev1.Container, name string) bool {
	return slices.ContainsFunc(containers, func(c corev1.Container) bool {
		return c.Name == name && c.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError
	})
}

// waitingOf returns why a container cannot start; empty for the reasons that every container has while it starts.
func waitingOf(s *corev1.ContainerStatus) Waiting {
	w := s.State.Waiting
	if w == nil || w.Reason == "" || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing" {
		return Waiting{}
	}
	return Waiting{Reason: w.Reason, Message: redact.Line(w.Message, maxMessage), Image: strings.Clone(redact.First(s.Image, maxMessage))}
}

// SparkContainer returns the name of the container that runs Spark: the one with a variable that Spark sets, else the
// one with Spark's own name, else the last one, which is where Spark adds it. It uses only what cannot change after the
// creation. Otherwise a client who may annotate the pod, or who writes its template, could hide the end of the driver
// by setting kubectl.kubernetes.io/default-container.
func SparkContainer(pod *corev1.Pod) string {
	last, named, starts := "", "", ""
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		last = c.Name
		switch c.Name {
		case "spark-kubernetes-driver", "spark-kubernetes-executor":
			named = c.Name
		}
		if slices.ContainsFunc(c.Env, startsSpark) {
			starts = c.Name
		}
	}
	return cmp.Or(starts, named, last)
}

// startsSpark reports whether a variable is one that Spark sets on its own container, of a driver or an executor.
func startsSpark(v corev1.EnvVar) bool {
	return v.Name == "SPARK_DRIVER_BIND_ADDRESS" || v.Name == "SPARK_EXECUTOR_ID"
}

func roleOf(label string) Role {
	switch label {
	case v1alpha1.SparkRoleDriver:
		return Driver
	case v1alpha1.SparkRoleExecutor:
		return Executor
	}
	return Other
}

func number(label string) int64 {
	n, err := strconv.ParseInt(label, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// VersionOf returns a resource version as a number, which takes less memory than a string in each record. Resource
// versions are numbers that grow (Kubernetes API concepts, "Resource versions"); it returns 0 for anything else.
func VersionOf(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
