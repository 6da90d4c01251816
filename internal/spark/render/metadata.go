// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// LabelsOf returns the labels of everything that belongs to an attempt, queue being the one that it asks.
func LabelsOf(app *v1alpha1.SparkApplication, run, attempt int64, queue string) map[string]string {
	labels := map[string]string{
		v1alpha1.ApplicationLabel:    app.Name,
		v1alpha1.ApplicationUIDLabel: string(app.UID),
		v1alpha1.RunLabel:            strconv.FormatInt(run, 10),
		v1alpha1.AttemptLabel:        strconv.FormatInt(attempt, 10),
	}
	if queue == "" && app.Spec.Queue != nil {
		queue = app.Spec.Queue.Name
	}
	if queue != "" {
		labels[v1alpha1.QueueLabel] = queue
	}
	return labels
}

// attemptLabels returns LabelsOf the attempt of an input, with its queue as far as it is known.
func attemptLabels(in Input) map[string]string {
	queue := in.Queue
	if queue == "" && in.Grant != nil {
		queue = in.Grant.Queue
	}
	return LabelsOf(in.App, in.Run, in.Attempt, queue)
}

// objectMeta returns the metadata of an object of the attempt. It is owned by the application: it goes when the
// application goes.
func objectMeta(in Input, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Namespace:       in.App.Namespace,
		Labels:          attemptLabels(in),
		OwnerReferences: ownerReferences(in.App),
	}
}

// OwnerOf refers to an application as the controller of what is created for it.
func OwnerOf(app *v1alpha1.SparkApplication) metav1.OwnerReference { return ownerReferences(app)[0] }

// ownerReferences makes the application the controller of an object.
func ownerReferences(app *v1alpha1.SparkApplication) []metav1.OwnerReference {
	return []metav1.OwnerReference{
		*metav1.NewControllerRef(app, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind)),
	}
}

// metadataStep adds what spark-submit does not: the owner, and annotations for people and for the cluster's autoscaler.
// Moving a driver means losing the run, so that the autoscaler may not empty its node; executors may be moved. The driver
// of an application of a schedule has the time for which it runs: it may start later, and what it reads depends on it.
func metadataStep(b *build) error {
	pod := b.driver.pod
	pod.Namespace = b.in.App.Namespace
	pod.OwnerReferences = ownerReferences(b.in.App)
	notes := map[string]string{
		"kubectl.kubernetes.io/default-container":        b.driver.container.Name,
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	}
	if at := b.in.App.Annotations[v1alpha1.ScheduledForAnnotation]; at != "" {
		notes[v1alpha1.ScheduledForAnnotation] = at
	}
	for name, value := range notes {
		if _, chosen := pod.Annotations[name]; !chosen {
			b.driver.annotate(map[string]string{name: value})
		}
	}
	return nil
}
