// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is one object to create.
type Object interface {
	metav1.Object
	runtime.Object
}

// InOrder returns the objects in the order in which they have to be created. The driver is last, so that it never waits
// for the others.
func (o Objects) InOrder() []Object {
	all := []Object{o.ConfigMap}
	if o.Secret != nil {
		all = append(all, o.Secret)
	}
	for _, files := range o.Files {
		all = append(all, files)
	}
	all = append(all, o.Service)
	if o.NetworkPolicy != nil {
		all = append(all, o.NetworkPolicy)
	}
	for _, claim := range o.Claims {
		all = append(all, claim)
	}
	return append(all, o.Pod)
}

// Describe returns kind, namespace and name of an object for messages.
func Describe(obj Object) string {
	return fmt.Sprintf("%s %s/%s", KindOf(obj).Kind, obj.GetNamespace(), obj.GetName())
}

// KindOf returns the kind of an object of an attempt, because objects from a typed client do not contain it. For other
// objects the kind is "object".
func KindOf(o runtime.Object) schema.GroupVersionKind {
	switch o.(type) {
	case *corev1.Pod:
		return corev1.SchemeGroupVersion.WithKind("Pod")
	case *corev1.Service:
		return corev1.SchemeGroupVersion.WithKind("Service")
	case *corev1.ConfigMap:
		return corev1.SchemeGroupVersion.WithKind("ConfigMap")
	case *corev1.Secret:
		return corev1.SchemeGroupVersion.WithKind("Secret")
	case *corev1.PersistentVolumeClaim:
		return corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	case *networkingv1.NetworkPolicy:
		return networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
	}
	return schema.GroupVersionKind{Kind: "object"}
}
