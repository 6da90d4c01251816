// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// lastApplied is the annotation in which kubectl apply stores a copy of the whole manifest.
	lastApplied = corev1.LastAppliedConfigAnnotation
	// ownPrefix is the prefix of those annotations of namespaces that decisions read.
	ownPrefix = "sparkgate.io/"
)

// Object strips an object of everything that need not be cached. It is idempotent, and may modify the object.
func Object(obj any) (any, error) {
	switch o := obj.(type) {
	case *v1alpha1.SparkApplication:
		return application(o), nil
	case *v1alpha1.ScheduledSparkApplication:
		return schedule(o), nil
	case *Packed:
		return o, nil
	case *metav1.PartialObjectMetadata:
		o.ManagedFields, o.OwnerReferences = nil, nil
		for key := range o.Annotations {
			if !strings.HasPrefix(key, ownPrefix) {
				delete(o.Annotations, key)
			}
		}
	case *corev1.LimitRange, *nodev1.RuntimeClass:
		stripMeta(obj.(metav1.Object)) // both have metadata
	case *corev1.ResourceQuota:
		stripMeta(&o.ObjectMeta)
		o.Status = corev1.ResourceQuotaStatus{}
	case *schedulingv1.PriorityClass:
		stripMeta(&o.ObjectMeta)
		o.Description = ""
	case metav1.Object:
		o.SetManagedFields(nil)
		if all := o.GetAnnotations(); all[lastApplied] != "" {
			delete(all, lastApplied)
		}
	}
	return obj, nil
}

// stripMeta removes all metadata except for what identifies an object.
func stripMeta(m metav1.Object) {
	m.SetManagedFields(nil)
	m.SetAnnotations(nil)
	m.SetLabels(nil)
	m.SetOwnerReferences(nil)
}
