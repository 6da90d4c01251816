// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// attemptLabels returns the labels of everything that belongs to an attempt.
func attemptLabels(in Input) map[string]string {
	labels := map[string]string{
		v1alpha1.ApplicationLabel:    in.App.Name,
		v1alpha1.ApplicationUIDLabel: string(in.App.UID),
		v1alpha1.RunLabel:            strconv.FormatInt(in.Run, 10),
		v1alpha1.AttemptLabel:        strconv.FormatInt(in.Attempt, 10),
	}
	if queue := queueOf(in); queue != "" {
		labels[v1alpha1.QueueLabel] = queue
	}
	return labels
}

// queueOf returns the name of the queue, as far as it is known.
func queueOf(in Input) string {
	switch {
	case in.Queue != "":
		return in.Queue
	case in.Grant != nil && in.Grant.Queue != "":
		return in.Grant.Queue
	case in.App.Spec.Queue != nil:
		return in.App.Spec.Queue.Name
	}
	return ""
}

// Metadata returns that of an object which accompanies an attempt. Application, run, attempt and queue of the input count.
func Metadata(in Input, name string) metav1.ObjectMeta { return objectMeta(in, name) }

// objectMeta returns the metadata of an object of the attempt. It is owned by the application: it goes when the application goes.
func objectMeta(in Input, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Namespace:       in.App.Namespace,
		Labels:          attemptLabels(in),
		OwnerReferences: ownerReferences(in.App),
	}
}

// LabelsOf returns the labels of everything that belongs to an attempt, queue being the one that it asks.
func LabelsOf(app *v1alpha1.SparkApplication, run, attempt int64, queue string) map[string]string {
	return attemptLabels(Input{App: app, Run: run, Attempt: attempt, Queue: queue})
}

// OwnerOf refers to an application as the controller of what is made for it.
func OwnerOf(app *v1alpha1.SparkApplication) metav1.OwnerReference { return ownerReferences(app)[0] }

// ownerReferences makes the application the controller of an object.
func ownerReferences(app *v1alpha1.SparkApplication) []metav1.OwnerReference {
	return []metav1.OwnerReference{
		*metav1.NewControllerRef(app, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind)),
	}
}
