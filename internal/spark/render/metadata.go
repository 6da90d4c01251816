// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// LabelsOf returns the labels of all objects of an attempt. queue is the queue that it asks; if empty, it is the one of
// the spec.
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

// attemptLabels returns the labels of the attempt of an input, with its queue if that is known.
func attemptLabels(in Input) map[string]string {
	queue := in.Queue
	if queue == "" && in.Grant != nil {
		queue = in.Grant.Queue
	}
	return LabelsOf(in.App, in.Run, in.Attempt, queue)
}

// objectMeta returns the metadata of an object of the attempt. The application owns it, so it is deleted with the
// application.
func objectMeta(in Input, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Namespace:       in.App.Namespace,
		Labels:          attemptLabels(in),
		OwnerReferences: ownerReferences(in.App),
	}
}

// OwnerOf returns an owner reference to an application, as controller.
func OwnerOf(app *v1alpha1.SparkApplication) metav1.OwnerReference { return ownerReferences(app)[0] }

// ownerReferences returns the owner references of an object of the attempt.
func ownerReferences(app *v1alpha1.SparkApplication) []metav1.OwnerReference {
	return []metav1.OwnerReference{
		*metav1.NewControllerRef(app, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind)),
	}
}

// metadataStep adds metadata that spark-submit does not: the owner, and annotations for kubectl and the cluster
// autoscaler. The autoscaler may not evict a driver to remove its node, because that would end the run; executors may
// be evicted. The driver of a scheduled application gets the time for which it runs, and the one before it, because it
// may start later and what it reads may depend on them.
func metadataStep(b *build) error {
	pod := b.driver.pod
	pod.Namespace = b.in.App.Namespace
	pod.OwnerReferences = ownerReferences(b.in.App)
	notes := map[string]string{
		"kubectl.kubernetes.io/default-container":        b.driver.container.Name,
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	}
	for _, key := range v1alpha1.ScheduledAnnotations {
		if at := b.in.App.Annotations[key]; at != "" {
			notes[key] = at
		}
	}
	for name, value := range notes {
		if _, chosen := pod.Annotations[name]; !chosen {
			b.driver.annotate(map[string]string{name: value})
		}
	}
	return nil
}

// OfAttempt reports whether an object has the labels of an attempt.
func OfAttempt(obj metav1.Object, run, attempt int64) bool {
	labels := obj.GetLabels()
	return labels[v1alpha1.RunLabel] == strconv.FormatInt(run, 10) && labels[v1alpha1.AttemptLabel] == strconv.FormatInt(attempt, 10)
}
