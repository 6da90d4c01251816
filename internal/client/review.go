// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// WhoAmI returns the name of the user as which the API server authenticates the caller.
func (c *Cluster) WhoAmI(ctx context.Context) (string, error) {
	var review authenticationv1.SelfSubjectReview
	err := c.review(ctx, "/apis/authentication.k8s.io/v1/selfsubjectreviews", &review)
	return review.Status.UserInfo.Username, c.explain(ctx, err, action{"create", "selfsubjectreviews", "", ""})
}

// MayPatch reports whether the caller may patch an object of the namespace, which is what suspend, resume and run need.
// Without a name it is about all objects of the kind, and without a namespace about those of all namespaces.
func (c *Cluster) MayPatch(ctx context.Context, kind Kind, name string) (bool, error) {
	review := authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "patch", Group: v1alpha1.Group, Resource: kind.Resource, Namespace: c.Namespace, Name: name,
		},
	}}
	err := c.review(ctx, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review)
	return review.Status.Allowed, c.explain(ctx, err, action{"create", "selfsubjectaccessreviews", "", ""})
}

// review creates a review object and reads the answer of the API server into it.
func (c *Cluster) review(ctx context.Context, path string, into any) error {
	body, err := json.Marshal(into)
	if err != nil {
		return err
	}
	data, err := bodyOf(c.client.Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body(body).Do(ctx))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// IsUnauthorized reports whether err means that the API server does not accept the credentials.
func IsUnauthorized(err error) bool { return apierrors.IsUnauthorized(err) }

// IsForbidden reports whether err means that the caller lacks the right to make the request.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }
