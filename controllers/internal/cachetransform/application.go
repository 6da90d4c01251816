// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fluxcd/pkg/apis/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
)

// maxKeptValue is the maximum length of an annotation that a stub keeps, in bytes. The annotations are tokens of
// requests and names of trackers.
const maxKeptValue = 256

// keptKeys are the labels and annotations that decisions about an application read regardless of its spec.
var keptKeys = append(tracker.Keys(), meta.ReconcileRequestAnnotation, meta.ForceRequestAnnotation)

// application strips an application, and turns one that is too large into a stub. It is idempotent.
func application(app *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
	app.ManagedFields = nil
	delete(app.Annotations, lastApplied)
	if app.Stub != nil || footprint(app.ObjectMeta)+footprint(app.Spec) <= v1alpha1.MaxApplicationSize/escaped {
		return app
	}
	if size := sizeOf(&app.ObjectMeta, &app.Spec); size > v1alpha1.MaxApplicationSize {
		return stub(app, size)
	}
	return app
}

// escaped bounds how many bytes one byte takes as JSON (\u0000), including the syntax around values.
const escaped = 8

// sizeOf returns the total size of parts as JSON, in bytes.
func sizeOf(parts ...any) int {
	size := 0
	for _, part := range parts {
		text, err := json.Marshal(part)
		if err != nil {
			return v1alpha1.MaxApplicationSize + 1 // cannot happen: it was decoded from JSON
		}
		size += len(text)
	}
	return size
}

// stub returns what is kept of an application that is too large: its name, its status, and those fields that can affect
// a run that continues. All of them are small.
func stub(app *v1alpha1.SparkApplication, size int) *v1alpha1.SparkApplication {
	same, err := templatehash.Matches(&app.Spec, app.Status.TemplateHash)
	out := &v1alpha1.SparkApplication{TypeMeta: app.TypeMeta, Status: app.Status}
	out.Stub = &v1alpha1.Stub{Size: size, SameTemplate: same && err == nil}
	stubMeta(&app.ObjectMeta, &out.ObjectMeta)
	s := &app.Spec
	out.Spec = v1alpha1.SparkApplicationSpec{
		Type: s.Type, SparkVersion: s.SparkVersion, RunID: s.RunID, DriverService: s.DriverService, PodDisruptionBudget: s.PodDisruptionBudget,
		Suspend: s.Suspend, ReadyWhen: s.ReadyWhen, OnTemplateChange: s.OnTemplateChange, Timeouts: s.Timeouts,
		RestartPolicy: s.RestartPolicy, Retention: s.Retention, TTLAfterFinished: s.TTLAfterFinished,
	}
	if s.Queue != nil {
		queue := *s.Queue
		queue.Flavors = nil
		out.Spec.Queue = &queue
	}
	return out
}

// stubMeta copies the metadata that a stub keeps.
func stubMeta(from, to *metav1.ObjectMeta) {
	to.Namespace, to.Name, to.UID, to.ResourceVersion, to.Generation = from.Namespace, from.Name, from.UID, from.ResourceVersion, from.Generation
	to.CreationTimestamp, to.DeletionTimestamp = from.CreationTimestamp, from.DeletionTimestamp
	to.Labels, to.Annotations = keep(from.Labels), keep(from.Annotations)
	if owner := metav1.GetControllerOf(from); owner != nil {
		to.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	if slices.Contains(from.Finalizers, v1alpha1.Finalizer) {
		to.Finalizers = []string{v1alpha1.Finalizer}
	}
}

func keep(all map[string]string) map[string]string {
	var kept map[string]string
	for _, key := range keptKeys {
		if value, there := all[key]; there && len(value) <= maxKeptValue {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[key] = value
		}
	}
	return kept
}
