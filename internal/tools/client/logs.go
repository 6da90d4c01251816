// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// LogOptions select the part of a log that is read.
type LogOptions struct {
	Follow bool
	// Tail is the number of lines from the end to begin with; negative means all.
	Tail int64
	// Since is how far back the log goes; zero means all of it.
	Since time.Duration
	// After is when the log broke off, by the clock of this machine. If set, it counts instead of Since.
	After time.Time
}

// overlap is how much of a log is read again after it broke off, because times are in whole seconds.
const overlap = 2 * time.Second

// SparkPods selects pods of an application.
type SparkPods struct {
	Run, Attempt int64
	// Role is the role of the pods. Executor is the number of one executor, empty for all.
	Role, Executor string
}

// executorIDLabel is Spark's label with the number of an executor.
const executorIDLabel = "spark-exec-id"

// PodsOf returns the selected pods of an application.
func (c *Cluster) PodsOf(ctx context.Context, app *v1alpha1.SparkApplication, s SparkPods) ([]corev1.Pod, error) {
	labels := v1alpha1.ApplicationUIDLabel + "=" + string(app.UID) + "," + v1alpha1.SparkRoleLabel + "=" + s.Role +
		"," + v1alpha1.RunLabel + "=" + strconv.FormatInt(s.Run, 10) + "," + v1alpha1.AttemptLabel + "=" + strconv.FormatInt(s.Attempt, 10)
	if s.Executor != "" {
		labels += "," + executorIDLabel + "=" + s.Executor
	}
	return ListAll[corev1.Pod](ctx, c, Pods, Selection{Namespace: app.Namespace, Labels: labels})
}

// ExecutorID returns the number of an executor; empty for a driver.
func ExecutorID(pod *corev1.Pod) string { return pod.Labels[executorIDLabel] }

// HasLog reports whether the Spark container of a pod has started, so that it has a log.
func HasLog(pod *corev1.Pod) bool {
	name := pods.SparkContainer(pod)
	for i := range pod.Status.ContainerStatuses {
		if s := &pod.Status.ContainerStatuses[i]; s.Name == name {
			return s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil
		}
	}
	return false
}

// Runs reports whether the Spark container of a pod runs.
func Runs(pod *corev1.Pod) bool {
	name := pods.SparkContainer(pod)
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.Name == name && s.State.Running != nil
	})
}

// RunningDriver returns the driver of the current attempt of an application, or nil if it does not run.
func (c *Cluster) RunningDriver(ctx context.Context, app *v1alpha1.SparkApplication) (*corev1.Pod, error) {
	found, err := c.PodsOf(ctx, app, SparkPods{Run: app.Status.Run, Attempt: app.Status.Attempt, Role: v1alpha1.SparkRoleDriver})
	for i := range found {
		if Runs(&found[i]) {
			return &found[i], nil
		}
	}
	return nil, err
}

// Log opens the log of the Spark container of a pod.
func (c *Cluster) Log(ctx context.Context, pod *corev1.Pod, o LogOptions) (io.ReadCloser, error) {
	options := &corev1.PodLogOptions{Container: pods.SparkContainer(pod), Follow: o.Follow}
	if o.Tail >= 0 {
		options.TailLines = &o.Tail
	}
	since := o.Since
	if !o.After.IsZero() {
		since = clock.RealClock{}.Since(o.After) + overlap
	}
	if since > 0 {
		options.SinceSeconds = ptr.To(max(1, int64(since.Seconds())))
	}
	stream, err := c.core.Pods(pod.Namespace).GetLogs(pod.Name, options).Timeout(0).Stream(ctx)
	return stream, c.explain(ctx, err, action{"get", "pods/log", pod.Namespace, ""})
}

// LogBegins returns how long after the start of a pod's Spark container the first line was written that the kubelet
// still has of its log. It is 0 if that is not known, or if the container has not run for this long.
func LogBegins(ctx context.Context, c *Cluster, pod *corev1.Pod, long time.Duration) time.Duration {
	name := pods.SparkContainer(pod)
	i := slices.IndexFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == name })
	if i < 0 {
		return 0
	}
	var started, ended time.Time
	switch state := &pod.Status.ContainerStatuses[i].State; {
	case state.Running != nil:
		started, ended = state.Running.StartedAt.Time, clock.RealClock{}.Now()
	case state.Terminated != nil:
		started, ended = state.Terminated.StartedAt.Time, state.Terminated.FinishedAt.Time
	}
	if started.IsZero() || ended.Sub(started) < long {
		return 0
	}
	options := &corev1.PodLogOptions{Container: name, Timestamps: true, LimitBytes: ptr.To[int64](64)}
	text, err := c.core.Pods(pod.Namespace).GetLogs(pod.Name, options).DoRaw(ctx)
	stamp, _, _ := strings.Cut(string(text), " ")
	first, invalid := time.Parse(time.RFC3339Nano, stamp)
	if err != nil || invalid != nil {
		return 0
	}
	return first.Sub(started)
}

// reportTime is how long a kubelet may take to report the end of a container whose log has ended, in seconds.
const reportTime = 15

// RunsOn reports whether the Spark container of a pod still runs after its log has ended. It gives the kubelet
// reportTime to report the end, and waits up to maxOutage for an API server that does not answer.
func (c *Cluster) RunsOn(ctx context.Context, pod *corev1.Pod) bool {
	const maxFailures = int(maxOutage / time.Second)
	for seen, failed := 0, 0; seen < reportTime; {
		now, err := GetObject[corev1.Pod](ctx, c, Pods, pod.Name)
		switch {
		case err == nil && now.UID == pod.UID && Runs(now):
			seen, failed = seen+1, 0
		case err == nil, !IsPassing(err), failed == maxFailures:
			return false
		default:
			failed++
		}
		if sleep(ctx, time.Second) != nil {
			return false
		}
	}
	return true
}

// OpenLog is Cluster.Log for a log that is followed: it waits up to maxOutage for an API server that does not answer.
func OpenLog(ctx context.Context, c *Cluster, pod *corev1.Pod, o LogOptions) (io.ReadCloser, error) {
	const maxFailures = int(maxOutage / time.Second)
	for failed := 0; ; failed++ {
		log, err := c.Log(ctx, pod, o)
		if err == nil || !IsPassing(err) || failed == maxFailures || sleep(ctx, time.Second) != nil {
			return log, err
		}
	}
}
