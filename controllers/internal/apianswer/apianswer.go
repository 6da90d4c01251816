// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apianswer reads what the API server says when it refuses a write.
package apianswer

import (
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var (
	// clockOfAnswer is in what crypto/x509 says of a certificate that has expired.
	clockOfAnswer = regexp.MustCompile(`\bcurrent time \S+ is\b`)
	// ownEnd is the end of a connection that has another port each time, in what package net says of it.
	ownEnd = regexp.MustCompile(`\S+:\d+->`)
)

// Steady returns what the API server says, without what is different each time it says the same, such as the time. A message that is tried for
// again and again would be written each time, and what is written wakes what tries.
func Steady(text string) string {
	return ownEnd.ReplaceAllString(clockOfAnswer.ReplaceAllString(text, "it is"), "")
}

// IsGoneOrChanged reports whether a write that names the uid or the version of an object was refused because there is no such
// object any longer: it was deleted, replaced by another one of its name, or changed. Such a write needs no repetition.
func IsGoneOrChanged(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }

// IsWebhookAway reports whether the API server has created nothing because a webhook that it has to ask did not answer. Nothing was stored:
// webhooks are asked before.
func IsWebhookAway(err error) bool {
	return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "failed calling webhook")
}
