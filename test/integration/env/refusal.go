// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The parts of the API server that may refuse a request.
const (
	ByNobody = ""
	ByGuard  = "guard"
	ByRBAC   = "RBAC"
	BySchema = "schema"
	ByServer = "API server"
)

// RefusedBy returns the part of the API server that refused a request, by the error.
func RefusedBy(err error) string {
	switch {
	case err == nil:
		return ByNobody
	case strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'sparkgate-guard"):
		return ByGuard
	case apierrors.IsForbidden(err) && (strings.Contains(err.Error(), " cannot ") || strings.Contains(err.Error(), "attempting to grant RBAC permissions")):
		return ByRBAC
	case apierrors.IsInvalid(err) && strings.Contains(err.Error(), "sparkgate.io"):
		return BySchema
	}
	return ByServer
}
