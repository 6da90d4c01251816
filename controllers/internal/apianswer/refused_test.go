// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apianswer

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// forbidden returns an answer of an admission plugin.
func forbidden(words string) error {
	return apierrors.NewForbidden(corev1.Resource("pods"), "pi-driver", errors.New(words))
}

func answered(code int32, reason metav1.StatusReason, words string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: words}}
}

// TestIsRejected: errors that only a change of the pod or of a rule can resolve are distinguished from temporary ones.
func TestIsRejected(t *testing.T) {
	t.Parallel()
	terminating := forbidden("unable to create new content in namespace a because it is being terminated")
	var s *apierrors.StatusError
	if !errors.As(terminating, &s) {
		t.Fatal("not a status")
	}
	s.ErrStatus.Details.Causes = append(s.ErrStatus.Details.Causes, metav1.StatusCause{Type: corev1.NamespaceTerminatingCause})
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"none":          {nil, false},
		"invalid":       {apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "pi-driver", field.ErrorList{field.Required(field.NewPath("spec"), "")}), true},
		"too large":     {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), true},
		"for the store": {answered(500, "", "etcdserver: request is too large"), true},
		"for etcd":      {answered(500, "", "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2401322 vs. 2097152)"), true},
		"bad request":   {apierrors.NewBadRequest("Pod in version v1 cannot be handled as a Pod"), true},
		"Pod Security":  {forbidden(`violates PodSecurity "restricted:latest": runAsNonRoot != true`), true},
		"policy":        {answered(422, metav1.StatusReasonInvalid, "pods \"pi-driver\" is forbidden: ValidatingAdmissionPolicy 'no-root' with binding 'all' denied request: no root"), true},
		"policy, 403":   {forbidden("ValidatingAdmissionPolicy 'no-root' with binding 'all' denied request: no root"), true},
		"policy, 401":   {answered(401, metav1.StatusReasonUnauthorized, "pods \"pi-driver\" is forbidden: ValidatingAdmissionPolicy 'no-root' with binding 'all' denied request: no root"), true},
		"webhook":       {answered(400, "", `admission webhook "validate.kyverno.svc" denied the request: no root`), true},
		"webhook, 403":  {answered(403, metav1.StatusReasonForbidden, `admission webhook "validation.gatekeeper.sh" denied the request: no root`), true},
		"limit range":   {forbidden("maximum cpu usage per Container is 1, but limit is 2"), true},
		"ratio":         {forbidden("cpu max limit to request ratio per Pod is 2, but provided ratio is 4.000000"), true},
		"quota demands": {forbidden("failed quota: compute: must specify limits.cpu for: spark-kubernetes-driver"), true},
		"OpenShift":     {forbidden("unable to validate against any security context constraint: []"), true},

		"quota is used up":      {forbidden("exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4"), false},
		"quota is new":          {forbidden("status unknown for quota: team, resources: pods"), false},
		"operator's rights":     {forbidden(`User "system:serviceaccount:sparkgate-system:sparkgate" cannot create resource "pods" in API group "" in the namespace "a"`), false},
		"finalizers":            {forbidden("cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"), false},
		"no account yet":        {forbidden(`error looking up service account a/default: serviceaccount "default" not found`), false},
		"no priority class":     {forbidden("no PriorityClass with name high was found"), false},
		"no runtime class":      {forbidden(`pod rejected: RuntimeClass "gvisor" not found`), false},
		"plugin starts":         {forbidden("not yet ready to handle request"), false},
		"namespace goes":        {terminating, false},
		"no such namespace":     {apierrors.NewNotFound(corev1.Resource("namespaces"), "a"), false},
		"no dry run":            {apierrors.NewBadRequest(`admission webhook "x" does not support dry run`), false},
		"token of the operator": {apierrors.NewUnauthorized("Unauthorized"), false},
		"webhook is down":       {apierrors.NewInternalError(errors.New(`failed calling webhook "x": timeout`)), false},
		"no answer":             {errors.New("connection refused"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsRejected(tt.err); got != tt.want {
				t.Errorf("rejected is %t, want %t: %v", got, tt.want, tt.err)
			}
		})
	}
}
