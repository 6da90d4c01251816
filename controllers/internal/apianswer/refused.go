// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apianswer

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/internal/job/cause"
)

// NamesPolicy reports whether an error says that a rule of the cluster or namespace forbids the object.
func NamesPolicy(err error) bool { return cause.NamesPolicy(err.Error()) }

// IsRefused reports whether the API server has answered with an error that it would repeat: policy, quota or validation.
func IsRefused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

// IsRejected reports whether the API server will never accept an object as it is, however often it is tried.
func IsRejected(err error) bool {
	switch {
	case err == nil, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return false
	case apierrors.IsInvalid(err), apierrors.IsRequestEntityTooLargeError(err), isTooLargeForStore(err):
		return true
	case apierrors.IsBadRequest(err):
		return !RefusesDryRuns(err)
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err): // policies may use either code
		return NamesPolicy(err)
	}
	return false
}

// IsUnwritable reports whether the API server has refused a change and will refuse it again. It was not stored and never
// will be.
func IsUnwritable(err error) bool {
	return IsRefused(err) && !apierrors.IsNotFound(err) || isTooLargeForStore(err)
}

// isTooLargeForStore reports whether etcd or its client has refused an object for its size, above 1.5 MiB or 2 MiB. The
// API server reports this as an internal error.
func isTooLargeForStore(err error) bool {
	return strings.Contains(err.Error(), "request is too large") || strings.Contains(err.Error(), "trying to send message larger than max")
}
