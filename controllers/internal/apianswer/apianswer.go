// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apianswer

import (
	"errors"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var (
	// clockOfAnswer matches the time in crypto/x509's error about an expired certificate.
	clockOfAnswer = regexp.MustCompile(`\bcurrent time \S+ is\b`)
	// ownEnd matches the local address of a connection in errors of package net. Its port is different each time.
	ownEnd = regexp.MustCompile(`\S+:\d+->`)
)

// Steady removes from an error text of the API server what differs each time, such as the time. Otherwise each retry
// would write a changed message, and each such write triggers another retry.
func Steady(text string) string {
	return ownEnd.ReplaceAllString(clockOfAnswer.ReplaceAllString(text, "it is"), "")
}

// IsGoneOrChanged reports whether a write with a uid or version precondition was refused because that object no longer
// exists: it was deleted, replaced by another one with its name, or changed. Such a write need not be repeated.
func IsGoneOrChanged(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }

// IsWebhookAway reports whether a write was refused because an admission webhook did not answer. Nothing was stored,
// because webhooks are called first.
func IsWebhookAway(err error) bool {
	return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "failed calling webhook")
}

// IsDenied reports whether the API server has created nothing because a webhook or a policy of the cluster denies it. They choose the code of the answer.
func IsDenied(err error) bool {
	answer := apierrors.APIStatus(nil)
	if !errors.As(err, &answer) {
		return false
	}
	message := answer.Status().Message
	return strings.Contains(message, "denied the request") || strings.Contains(message, "ValidatingAdmissionPolicy '")
}

// RefusesDryRuns reports whether the API server has not answered a dry run, because a webhook that it has to ask does not say whether it has side
// effects.
func RefusesDryRuns(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "dry run")
}
