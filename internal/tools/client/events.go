// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// EventsOf returns the events of an application and of its pods, oldest first. The labels of pods that are gone cannot
// be read: the driver is then recognized by its uid in the status, and executors of the current attempt by their names.
func (c *Cluster) EventsOf(ctx context.Context, app *v1alpha1.SparkApplication) ([]corev1.Event, error) {
	events, err := ListAll[corev1.Event](ctx, c, Events, Selection{Namespace: app.Namespace})
	if err != nil {
		return nil, err
	}
	found, err := ListAll[corev1.Pod](ctx, c, Pods, Selection{Namespace: app.Namespace, Labels: v1alpha1.ApplicationUIDLabel + "=" + string(app.UID)})
	if err != nil {
		return nil, err
	}
	about := map[types.UID]bool{app.UID: true}
	for i := range found {
		about[found[i].UID] = true
	}
	if d := app.Status.Driver; d != nil && d.UID != "" {
		about[d.UID] = true
	}
	executors := executorPrefix(app)
	events = slices.DeleteFunc(events, func(e corev1.Event) bool {
		executor := executors != "" && e.InvolvedObject.Kind == "Pod" && strings.HasPrefix(e.InvolvedObject.Name, executors)
		return !about[e.InvolvedObject.UID] && !executor
	})
	for i := range events {
		// The items of a list have neither.
		events[i].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}
	}
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return cmp.Compare(LastSeen(&a).UnixNano(), LastSeen(&b).UnixNano()) })
	return events, nil
}

// executorPrefix returns the prefix of the names of the current attempt's executors; empty if it is not known.
func executorPrefix(app *v1alpha1.SparkApplication) string {
	if app.Status.Driver == nil {
		return ""
	}
	prefix, usual := strings.CutSuffix(app.Status.Driver.PodName, "-driver")
	if !usual || prefix == "" {
		return ""
	}
	return prefix + "-exec-"
}

// LastSeen returns when an event happened last.
func LastSeen(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}
