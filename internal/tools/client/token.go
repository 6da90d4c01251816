// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// borrowedFor is the lifetime of a borrowed token in seconds, the shortest that the API server allows.
const borrowedFor = 600

// borrowError is why no token could be created.
type borrowError struct{ text string }

func (e *borrowError) Error() string { return e.text }

// borrowToken creates a short-lived token of the ServiceAccount for explanations.
func (c *Cluster) borrowToken(ctx context.Context) (string, error) {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](borrowedFor)}}
	request, err := c.core.ServiceAccounts(c.operator).CreateToken(ctx, service, request, metav1.CreateOptions{})
	if err != nil {
		return "", cannotBorrow(err, c.operator)
	}
	return request.Status.Token, nil
}

func cannotBorrow(err error, operator string) error {
	text := fmt.Sprintf("your kubeconfig has no token, and none could be created for ServiceAccount %s in namespace %s", service, operator)
	switch {
	case apierrors.IsForbidden(err):
		text += fmt.Sprintf(": you may not. Use a kubeconfig with a token, or ask to be bound to Role %s-token there", service)
	case apierrors.IsNotFound(err):
		text += ": it does not exist. Apply config/rbac, or name the operator's namespace with --operator-namespace"
	default:
		text += ": " + err.Error()
	}
	return &borrowError{text}
}
