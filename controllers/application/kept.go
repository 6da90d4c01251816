// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// ObserveExisting records the attempt of a ConfigMap that an earlier process has created. It returns the application of
// the attempt, and whether a pass over it is needed because the pod of the driver is gone.
func (r *Reconciler) ObserveExisting(configMap *metav1.PartialObjectMetadata) (app types.NamespacedName, left bool) {
	owner := metav1.GetControllerOfNoCopy(configMap)
	of, known := attemptOf(configMap)
	if !known || owner == nil || owner.Kind != v1alpha1.SparkApplicationKind {
		return types.NamespacedName{}, false
	}
	app = types.NamespacedName{Namespace: configMap.Namespace, Name: owner.Name}
	if !r.memory.Found(app, owner.UID, of) {
		return app, false // the garbage collector is about to delete the object
	}
	return app, !slices.ContainsFunc(r.Pods.Of(app), func(p *pods.Record) bool {
		return p.Role == pods.Driver && p.OwnerUID == owner.UID && of == lifecycle.AttemptID{Run: p.Run, Attempt: p.Attempt}
	})
}

// attemptOf returns the attempt in the labels of an object; known is false if they name none.
func attemptOf(obj metav1.Object) (of lifecycle.AttemptID, known bool) {
	run, err := strconv.ParseInt(obj.GetLabels()[v1alpha1.RunLabel], 10, 64)
	number, err2 := strconv.ParseInt(obj.GetLabels()[v1alpha1.AttemptLabel], 10, 64)
	return lifecycle.AttemptID{Run: run, Attempt: number}, err == nil && err2 == nil
}
