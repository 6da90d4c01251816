// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// WhoAmI returns the name of the user as which the API server authenticates the caller.
func (c *Cluster) WhoAmI(ctx context.Context) (string, error) {
	review, err := c.authentication.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", c.explain(ctx, err, action{"create", "selfsubjectreviews", "", ""})
	}
	return review.Status.UserInfo.Username, nil
}

// MayPatch reports whether the caller may patch an object of the namespace, which is what suspend, resume and run need.
// Without a name it is about all objects of the kind, and without a namespace about those of all namespaces.
func (c *Cluster) MayPatch(ctx context.Context, kind Kind, name string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "patch", Group: v1alpha1.Group, Resource: kind.Resource, Namespace: c.Namespace, Name: name,
		},
	}}
	review, err := c.authorization.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, c.explain(ctx, err, action{"create", "selfsubjectaccessreviews", "", ""})
	}
	return review.Status.Allowed, nil
}

// IsUnauthorized reports whether err means that the API server does not accept the credentials.
func IsUnauthorized(err error) bool { return apierrors.IsUnauthorized(err) }

// IsForbidden reports whether err means that the caller lacks the right to make the request.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }
