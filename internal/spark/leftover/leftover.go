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

// The kinds of objects of attempts, apart from companions.
var (
	ConfigMapKind     = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	ClaimKind         = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	SecretKind        = corev1.SchemeGroupVersion.WithKind("Secret")
	NetworkPolicyKind = networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
)

// Listed are the kinds of objects that are found by their labels. The operator may not list Secrets and
// NetworkPolicies; their names follow from the labels of the other objects (Unlisted).
var Listed = slices.Concat([]schema.GroupVersionKind{ConfigMapKind, ClaimKind}, expose.Kinds)

// Application identifies an application that is gone, or is being deleted without its objects.
type Application struct {
	types.NamespacedName
	UID types.UID
}

// Of returns the application in the labels of an object.
func Of(obj metav1.Object) Application {
	labels := obj.GetLabels()
	return Application{types.NamespacedName{Namespace: obj.GetNamespace(), Name: labels[v1alpha1.ApplicationLabel]}, types.UID(labels[v1alpha1.ApplicationUIDLabel])}
}

// Object returns an application with the fields on which the names of its objects depend.
func (a Application) Object() *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: a.Name, UID: a.UID}}
}

// Attempt is an attempt of an application.
type Attempt struct{ Run, Number int64 }

// AttemptOf returns the attempt in the labels of an object; known is false if they name none.
func AttemptOf(obj metav1.Object) (attempt Attempt, known bool) {
	run, err := strconv.ParseInt(obj.GetLabels()[v1alpha1.RunLabel], 10, 64)
	number, err2 := strconv.ParseInt(obj.GetLabels()[v1alpha1.AttemptLabel], 10, 64)
	return Attempt{run, number}, err == nil && err2 == nil
}

// Unlisted returns the names of an attempt's objects of kinds that the operator may not list.
func (a Application) Unlisted(of Attempt) map[schema.GroupVersionKind]string {
	names := render.NamesOf(a.Object(), of.Run, of.Number)
	return map[schema.GroupVersionKind]string{SecretKind: names.Secret, NetworkPolicyKind: names.NetworkPolicy}
}

// Created reports whether the operator created an object for the application. Its labels have to name the application;
// the operator must have written it; and the application has to be its only owner, or else it must have no owner and a
// name that the operator uses. Labels alone can be set on any object. A name cannot be changed, and it contains a hash
// of the uid, which nobody knew before the application existed. Accounts that can forge all of this for an existing
// object may update it, so they could also have the garbage collector delete it, by setting an owner that does not
// exist.
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

// CreatedPod is Created for a pod, given its name and the uid of its owner. Pods that the driver owns are deleted with
// it.
func (a Application) CreatedPod(name string, owner types.UID, of Attempt) bool {
	return owner == a.UID || owner == "" && strings.HasPrefix(name, a.prefix(of)+"-")
}

// MayBeService reports whether an object may be the Service of spec.driverService after it has lost its owner. Its name
// is that of the application and proves nothing, so its selector decides (IsService).
func (a Application) MayBeService(kind schema.GroupVersionKind, obj metav1.Object) bool {
	return kind == expose.ServiceKind && a.UID != "" && obj.GetName() == a.Name && len(obj.GetOwnerReferences()) == 0 && Of(obj) == a && written(obj)
}

// IsService reports whether a Service is that of spec.driverService: it selects the driver of the application and
// nothing else.
func (a Application) IsService(service *corev1.Service) bool {
	to := service.Spec.Selector
	return a.MayBeService(expose.ServiceKind, service) && to[v1alpha1.ApplicationUIDLabel] == string(a.UID) && to[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver
}

func (a Application) prefix(of Attempt) string {
	return render.NamesOf(a.Object(), of.Run, of.Number).Prefix
}

// owns reports whether an owner reference refers to the application.
func (a Application) owns(owner metav1.OwnerReference) bool {
	return owner.UID == a.UID && owner.Name == a.Name && owner.Kind == v1alpha1.SparkApplicationKind &&
		strings.HasPrefix(owner.APIVersion, v1alpha1.GroupVersion.Group+"/")
}

// written reports whether the managed fields of an object show that the operator wrote it. A copy that a user created,
// or an object that a user has taken over, does not have them.
func written(obj metav1.Object) bool {
	return slices.ContainsFunc(obj.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == v1alpha1.FieldOwner && e.Subresource == "" })
}
