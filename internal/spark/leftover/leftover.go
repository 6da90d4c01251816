// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package leftover

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// The kinds of objects of attempts besides companions.
var (
	ConfigMapKind     = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	ClaimKind         = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	SecretKind        = corev1.SchemeGroupVersion.WithKind("Secret")
	NetworkPolicyKind = networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
)

// Listed are the kinds of objects that are found by their labels. Secrets and NetworkPolicies, which the operator may
// not list, have names that follow from the labels of the others: Unlisted.
var Listed = slices.Concat([]schema.GroupVersionKind{ConfigMapKind, ClaimKind}, expose.Kinds)

// Application is one that is gone, or goes without its objects.
type Application struct {
	types.NamespacedName
	UID types.UID
}

// Of returns the application that an object names in its labels.
func Of(obj metav1.Object) Application {
	labels := obj.GetLabels()
	return Application{types.NamespacedName{Namespace: obj.GetNamespace(), Name: labels[v1alpha1.ApplicationLabel]}, types.UID(labels[v1alpha1.ApplicationUIDLabel])}
}

// Object returns the application with what the names of its objects follow from.
func (a Application) Object() *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: a.Name, UID: a.UID}}
}

// Attempt is one of an application.
type Attempt struct{ Run, Number int64 }

// AttemptOf returns the attempt of an object, by its labels.
func AttemptOf(obj metav1.Object) (attempt Attempt, known bool) {
	run, err := strconv.ParseInt(obj.GetLabels()[v1alpha1.RunLabel], 10, 64)
	number, err2 := strconv.ParseInt(obj.GetLabels()[v1alpha1.AttemptLabel], 10, 64)
	return Attempt{run, number}, err == nil && err2 == nil
}

// Unlisted returns the names of the objects of an attempt whose kinds are not listed.
func (a Application) Unlisted(of Attempt) map[schema.GroupVersionKind]string {
	names := render.NamesOf(a.Object(), of.Run, of.Number)
	return map[schema.GroupVersionKind]string{SecretKind: names.Secret, NetworkPolicyKind: names.NetworkPolicy}
}

// Created reports whether the operator has created an object for the application. Its labels name the application; the
// operator has written it; and the application is its only owner, or it no longer has an owner and has a name that the
// operator gives. Labels alone can be put onto any object. A name cannot be changed, and contains a hash of the uid,
// which was not known before the application existed. Accounts that can forge all of this for an existing object may
// update it, and could as well have the garbage collector delete it, by an owner that does not exist.
func (a Application) Created(kind schema.GroupVersionKind, obj metav1.Object) bool {
	attempt, known := AttemptOf(obj)
	if !known || a.Name == "" || a.UID == "" || Of(obj) != a || !written(obj) {
		return false
	}
	if owners := obj.GetOwnerReferences(); len(owners) > 0 {
		return len(owners) == 1 && a.owns(owners[0])
	}
	prefix := a.prefix(attempt)
	if kind == ClaimKind {
		return strings.Contains(obj.GetName(), prefix+"-driver-pvc-")
	}
	return obj.GetName() == prefix || strings.HasPrefix(obj.GetName(), prefix+"-")
}

// CreatedPod is Created for a pod of an attempt, of which name and uid of the owner are known. Pods that belong to the
// driver go with it.
func (a Application) CreatedPod(name string, owner types.UID, of Attempt) bool {
	return owner == a.UID || owner == "" && strings.HasPrefix(name, a.prefix(of)+"-")
}

// MayBeService reports whether an object may be the Service of spec.driverService that no longer has an owner. It has
// the name of the application, so its selector decides: IsService.
func (a Application) MayBeService(kind schema.GroupVersionKind, obj metav1.Object) bool {
	return kind == expose.ServiceKind && a.UID != "" && obj.GetName() == a.Name && len(obj.GetOwnerReferences()) == 0 && Of(obj) == a && written(obj)
}

// IsService reports whether a Service that may be that of spec.driverService is: it leads to the driver of the
// application and to nothing else.
func (a Application) IsService(service *corev1.Service) bool {
	to := service.Spec.Selector
	return a.MayBeService(expose.ServiceKind, service) && to[v1alpha1.ApplicationUIDLabel] == string(a.UID) && to[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver
}

func (a Application) prefix(of Attempt) string {
	return render.NamesOf(a.Object(), of.Run, of.Number).Prefix
}

// owns reports whether an owner reference is one to the application.
func (a Application) owns(owner metav1.OwnerReference) bool {
	return owner.UID == a.UID && owner.Name == a.Name && owner.Kind == v1alpha1.SparkApplicationKind &&
		strings.HasPrefix(owner.APIVersion, v1alpha1.GroupVersion.Group+"/")
}

// written reports whether the API server knows fields of an object that the operator has written and no other client
// has replaced. A copy that a user has created of an object, or one that a user has taken over, has none.
func written(obj metav1.Object) bool {
	return slices.ContainsFunc(obj.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == v1alpha1.FieldOwner && e.Subresource == "" })
}
