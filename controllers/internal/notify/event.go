// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// event is Flux's event, v1beta1 (fluxcd.io, "Notification API, Events").
type event struct {
	InvolvedObject      corev1.ObjectReference `json:"involvedObject"`
	Severity            string                 `json:"severity"`
	Timestamp           metav1.Time            `json:"timestamp"`
	Message             string                 `json:"message"`
	Reason              string                 `json:"reason"`
	Metadata            map[string]string      `json:"metadata,omitempty"`
	ReportingController string                 `json:"reportingController"`
	ReportingInstance   string                 `json:"reportingInstance,omitempty"`
}

// Severities. There is no "warning": an Alert selects either errors only or everything.
const (
	severityInfo  = "info"
	severityError = "error"
)

const (
	controllerName = "sparkgate"
	// fluxEvents is the prefix of annotations with which users add metadata to the events of an object.
	fluxEvents = "event.toolkit.fluxcd.io/"
)

// owners maps the group of the labels with which Flux marks the objects it applies to the metadata key that names the
// owner.
var owners = map[string]string{"kustomize.toolkit.fluxcd.io": "kustomization", "helm.toolkit.fluxcd.io": "helmrelease"}

// subject is what an event is about.
type subject struct {
	metav1.Object
	kind     string
	metadata map[string]string
}

func (s *Sender) eventOf(about subject, severity, reason, message string) event {
	return event{
		InvolvedObject: corev1.ObjectReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: about.kind,
			Namespace: about.GetNamespace(), Name: about.GetName(), UID: about.GetUID(), ResourceVersion: about.GetResourceVersion(),
		},
		Severity: severity, Timestamp: metav1.NewTime(s.Clock.Now().UTC()), Reason: reason, Message: redact.Text(message),
		Metadata: about.metadata, ReportingController: controllerName, ReportingInstance: s.Instance,
	}
}

// own returns a metadata key in our group.
func own(key string) string { return v1alpha1.Group + "/" + key }

// metadataOf returns the metadata that the receiver shows in addition to the message. The receiver accepts only keys
// that begin with the group of the object or with Flux's prefix for annotations. The token distinguishes events with
// the same message from different attempts, because the receiver drops what it takes for a repetition.
// During the pause before an attempt, that is the one that has ended.
func metadataOf(app *v1alpha1.SparkApplication) map[string]string {
	s := &app.Status
	attempt := s.Attempt
	if s.Times.Retry != nil && len(s.Attempts) > 0 { // the attempt of the status has not begun: the event is about the one before
		attempt = s.Attempts[len(s.Attempts)-1].Attempt
	}
	metadata := map[string]string{
		own("token"): fmt.Sprintf("%s/%d.%d", app.UID, s.Run, attempt),
		own("run"):   strconv.FormatInt(s.Run, 10), own("attempt"): strconv.FormatInt(attempt, 10),
	}
	if s.Queue != "" {
		metadata[own("queue")] = s.Queue
	}
	addMarks(metadata, app)
	return metadata
}

// metadataOfSchedule is metadataOf for a schedule. Events with the same message are distinguished by the schedule's
// resource version.
func metadataOfSchedule(schedule *v1alpha1.ScheduledSparkApplication) map[string]string {
	metadata := map[string]string{own("token"): fmt.Sprintf("%s/%s", schedule.UID, schedule.ResourceVersion)}
	addMarks(metadata, schedule)
	return metadata
}

// addMarks adds the owner that applied an object, and the metadata that users have requested for its events.
func addMarks(metadata map[string]string, o metav1.Object) {
	labels := o.GetLabels()
	for group, key := range owners {
		if name := labels[group+"/name"]; name != "" {
			metadata[own(key)] = labels[group+"/namespace"] + "/" + name
		}
	}
	for key, value := range o.GetAnnotations() {
		if strings.HasPrefix(key, fluxEvents) {
			metadata[key] = value
		}
	}
}
