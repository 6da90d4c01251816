// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

// Application has as much of a SparkApplication as lists need, because there may be ten thousand.
type Application struct {
	App v1alpha1.SparkApplication
	// GrantPath is the queue whose quota it holds and its ancestors; empty if it holds none. holds describes the grant
	// in words.
	GrantPath []string
	Holds     []string
	// Elsewhere reports that another gate decides on it, whose queue may have the name of a SparkQueue.
	Elsewhere bool
	// metered is the part of the status that determines what it used.
	metered v1alpha1.SparkApplicationStatus
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Application) UnmarshalJSON(data []byte) error {
	var full v1alpha1.SparkApplication
	if err := json.Unmarshal(data, &full); err != nil {
		return err
	}
	a.App.ObjectMeta = metav1.ObjectMeta{
		Namespace: full.Namespace, Name: full.Name, UID: full.UID, Labels: full.Labels, CreationTimestamp: full.CreationTimestamp,
	}
	a.App.Spec.Queue = full.Spec.Queue
	a.App.Status, a.metered, a.Elsewhere = summarized(&full.Status), metered(&full.Status), !printer.UsesSparkQueue(&full)
	if g := full.Status.Grant; g != nil {
		a.GrantPath = printer.GrantPath(g)
		for _, set := range printer.HolderOf(&full).Hold.PodSets {
			a.Holds = append(a.Holds, printer.PodSetText(set))
		}
	}
	return nil
}

// summarized returns the part of a status that a summary needs.
func summarized(s *v1alpha1.SparkApplicationStatus) v1alpha1.SparkApplicationStatus {
	out := v1alpha1.SparkApplicationStatus{
		Queue: s.Queue, Run: s.Run, Attempt: s.Attempt, RunDuration: s.RunDuration,
		Times: v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{DriverStarted: s.Times.DriverStarted, Stopping: s.Times.Stopping, Queued: s.Times.Queued}},
	}
	for _, name := range []string{v1alpha1.ReadyCondition, v1alpha1.AdmittedCondition} {
		if c := meta.FindStatusCondition(s.Conditions, name); c != nil {
			out.Conditions = append(out.Conditions, *c)
		}
	}
	if s.Executors != nil {
		out.Executors = &v1alpha1.ExecutorStatus{Summary: s.Executors.Summary}
	}
	if n := len(s.Attempts); n > 0 {
		out.Attempts = []v1alpha1.AttemptStatus{{Run: s.Attempts[n-1].Run, Attempt: s.Attempts[n-1].Attempt}}
	}
	return out
}

// Used returns the application with the part of its status that determines what it used.
func (a *Application) Used() v1alpha1.SparkApplication {
	app := a.App
	app.Status = a.metered
	return app
}

// metered returns the part of a status that package usage needs.
func metered(s *v1alpha1.SparkApplicationStatus) v1alpha1.SparkApplicationStatus {
	out := v1alpha1.SparkApplicationStatus{Queue: s.Queue, Usage: s.Usage, Times: v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Admitted: s.Times.Admitted}}}
	if g := s.Grant; g != nil {
		out.Grant = &v1alpha1.Grant{Gate: g.Gate, Queue: g.Queue, Run: g.Run, Attempt: g.Attempt, PodSets: g.PodSets}
	}
	for i := range s.Attempts {
		a := &s.Attempts[i]
		out.Attempts = append(out.Attempts, v1alpha1.AttemptStatus{
			Run: a.Run, Attempt: a.Attempt, Outcome: a.Outcome, Reason: a.Reason, FinishedAt: a.FinishedAt, Usage: a.Usage,
		})
	}
	return out
}

// Summary returns the summary of the application at the time now.
func (a *Application) Summary(now time.Time) status.Summary { return status.Summarize(&a.App, now) }

// Schedule is a ScheduledSparkApplication without its template.
type Schedule struct {
	v1alpha1.ScheduledSparkApplication
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Schedule) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &s.ScheduledSparkApplication); err != nil {
		return err
	}
	s.Spec.Template, s.ManagedFields = v1alpha1.ApplicationTemplate{}, nil
	return nil
}

// Pod has as much of a Spark pod as pages show. A driver also has the whole pod, so that its log can be read.
type Pod struct {
	UID                    types.UID
	Name, Node, Role       string
	Executor, Phase, About string
	Run, Attempt           int64
	Created                time.Time
	// Started and finished are when its first container started and ended; zero if it has not.
	Started, Finished time.Time
	HasLog            bool
	Driver            *corev1.Pod
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Pod) UnmarshalJSON(data []byte) error {
	full := &corev1.Pod{}
	if err := json.Unmarshal(data, full); err != nil {
		return err
	}
	*p = Pod{
		UID: full.UID, Name: full.Name, Node: full.Spec.NodeName, Role: full.Labels[v1alpha1.SparkRoleLabel], Executor: client.ExecutorID(full),
		Phase: string(full.Status.Phase), About: aboutPod(full), Created: full.CreationTimestamp.Time, HasLog: client.HasLog(full),
	}
	if all := full.Status.ContainerStatuses; len(all) > 0 {
		p.Started, p.Finished = lifeOf(&all[0].State)
	}
	p.Run, _ = strconv.ParseInt(full.Labels[v1alpha1.RunLabel], 10, 64)
	p.Attempt, _ = strconv.ParseInt(full.Labels[v1alpha1.AttemptLabel], 10, 64)
	if p.Role == v1alpha1.SparkRoleDriver {
		full.ManagedFields = nil
		p.Driver = full
	}
	return nil
}

// lifeOf returns when a container started and ended.
func lifeOf(s *corev1.ContainerState) (started, finished time.Time) {
	switch {
	case s.Terminated != nil:
		return s.Terminated.StartedAt.Time, s.Terminated.FinishedAt.Time
	case s.Running != nil:
		return s.Running.StartedAt.Time, time.Time{}
	}
	return time.Time{}, time.Time{}
}

// aboutPod returns what keeps a pod from running, or how it ended.
func aboutPod(p *corev1.Pod) string {
	if p.DeletionTimestamp != nil {
		return "is being deleted"
	}
	for i := range p.Status.ContainerStatuses {
		s := &p.Status.ContainerStatuses[i].State
		if s.Waiting != nil && s.Waiting.Reason != "" {
			return s.Waiting.Reason
		}
		if s.Terminated != nil && s.Terminated.ExitCode != 0 {
			return s.Terminated.Reason + ", exit code " + strconv.Itoa(int(s.Terminated.ExitCode))
		}
	}
	if len(p.Spec.SchedulingGates) > 0 {
		return "waits for quota"
	}
	at := slices.IndexFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
	})
	if at >= 0 {
		return p.Status.Conditions[at].Message
	}
	return p.Status.Reason
}

// Event is a Kubernetes event.
type Event struct {
	UID, About types.UID
	Row        printer.Event
	At         time.Time
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Event) UnmarshalJSON(data []byte) error {
	var full corev1.Event
	if err := json.Unmarshal(data, &full); err != nil {
		return err
	}
	*e = Event{UID: full.UID, About: full.InvolvedObject.UID, At: client.LastSeen(&full), Row: printer.Event{
		Type: full.Type, Reason: full.Reason, Object: full.InvolvedObject.Kind + "/" + full.InvolvedObject.Name, Message: full.Message,
	}}
	return nil
}
