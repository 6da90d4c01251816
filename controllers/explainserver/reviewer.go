// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Reviewer authenticates and authorizes callers. Implementations are safe for concurrent use.
type Reviewer interface {
	// Authenticate returns the user of a token, or nil if the token is not valid.
	Authenticate(ctx context.Context, token string) (*authenticationv1.UserInfo, error)
	// MayGet reports whether a user may get an object.
	MayGet(ctx context.Context, user *authenticationv1.UserInfo, o Object) (bool, error)
}

// Object is an object of our kinds, or a non-resource path.
type Object struct {
	// Path is a non-resource path such as /metrics. If it is set, the other fields are empty.
	Path string
	// Resource is sparkapplications or sparkqueues.
	Resource string
	// Namespace is empty for queues.
	Namespace, Name string
}

// APIServer is a Reviewer that asks the API server.
type APIServer struct{ Client client.Client }

var _ Reviewer = APIServer{}

// Authenticate implements Reviewer with a TokenReview.
func (s APIServer) Authenticate(ctx context.Context, token string) (*authenticationv1.UserInfo, error) {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	if err := s.Client.Create(ctx, review); err != nil {
		return nil, fmt.Errorf("review a token: %w", err)
	}
	if !review.Status.Authenticated {
		return nil, nil
	}
	return &review.Status.User, nil
}

// MayGet implements Reviewer with a SubjectAccessReview.
func (s APIServer) MayGet(ctx context.Context, user *authenticationv1.UserInfo, o Object) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: map[string]authorizationv1.ExtraValue{},
	}}
	if o.Path != "" {
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Verb: "get", Path: o.Path}
	} else {
		review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
			Verb: "get", Group: v1alpha1.Group, Version: v1alpha1.GroupVersion.Version,
			Resource: o.Resource, Namespace: o.Namespace, Name: o.Name,
		}
	}
	for key, value := range user.Extra {
		review.Spec.Extra[key] = authorizationv1.ExtraValue(value)
	}
	if err := s.Client.Create(ctx, review); err != nil {
		return false, fmt.Errorf("review access of %s: %w", user.Username, err)
	}
	return review.Status.Allowed, nil
}
