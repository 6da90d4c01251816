// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// UIService is what spec.ui.serviceMetadata adds to the Service of an attempt.
type UIService struct {
	Labels      map[string]string
	Annotations map[string]string
}

// uiServiceKeys are the keys that spec.ui.serviceMetadata has added. They are recorded in the annotation
// v1alpha1.UIServiceAnnotation, so that they can be removed when the field changes.
type uiServiceKeys struct {
	Labels      []string `json:"labels,omitempty"`
	Annotations []string `json:"annotations,omitempty"`
}

// UIServiceOf returns what spec.ui.serviceMetadata adds, including the record of its keys; the zero value if it adds
// nothing. Placeholders in annotations are replaced. may reports which annotations the application may set; nil allows
// all.
func UIServiceOf(app *v1alpha1.SparkApplication, may func(key string) bool) UIService {
	if app.Spec.UI == nil || app.Spec.UI.ServiceMetadata == nil {
		return UIService{}
	}
	from := app.Spec.UI.ServiceMetadata
	notes := allowed(from.Annotations, may)
	if len(from.Labels)+len(notes) == 0 {
		return UIService{}
	}
	extra := UIService{Labels: maps.Clone(from.Labels), Annotations: map[string]string{}}
	for key, value := range notes {
		extra.Annotations[key] = conf.FillIn(app, value)
	}
	record, err := json.Marshal(uiServiceKeys{slices.Sorted(maps.Keys(from.Labels)), slices.Sorted(maps.Keys(notes))})
	// Lists of texts can always be marshalled.
	if err == nil {
		extra.Annotations[v1alpha1.UIServiceAnnotation] = string(record)
	}
	return extra
}

// UIServicePatch returns a merge patch (RFC 7386) of a Service's metadata that applies spec.ui.serviceMetadata and
// removes what the field added before; nil if nothing has to change.
func UIServicePatch(service *corev1.Service, app *v1alpha1.SparkApplication, may func(key string) bool) map[string]any {
	var before uiServiceKeys
	note := service.Annotations[v1alpha1.UIServiceAnnotation]
	if json.Unmarshal([]byte(note), &before) != nil {
		// Another client has written something else there.
		before = uiServiceKeys{}
	}
	if note != "" {
		before.Annotations = append(before.Annotations, v1alpha1.UIServiceAnnotation)
	}
	extra := UIServiceOf(app, may)
	patch := map[string]any{}
	if labels := changes(service.Labels, extra.Labels, before.Labels); len(labels) > 0 {
		patch["labels"] = labels
	}
	if annotations := changes(service.Annotations, extra.Annotations, before.Annotations); len(annotations) > 0 {
		patch["annotations"] = annotations
	}
	if len(patch) == 0 {
		return nil
	}
	return patch
}

// changes returns a merge patch that adds the wanted entries to a map, and removes the keys of before that are not
// wanted.
func changes(is, wanted map[string]string, before []string) map[string]any {
	patch := map[string]any{}
	for _, key := range before {
		if _, there := is[key]; there {
			patch[key] = nil
		}
	}
	for key, value := range wanted {
		delete(patch, key)
		if old, there := is[key]; !there || old != value {
			patch[key] = value
		}
	}
	return patch
}
