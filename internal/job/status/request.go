// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import "github.com/fluxcd/pkg/apis/meta"

// MaxToken is the maximum length in bytes of a token that is honoured, because the status repeats it. Tokens of Flux
// are times, which are shorter.
const MaxToken = 256

// ForceAnnotation is the annotation that requests another run.
const ForceAnnotation = meta.ForceRequestAnnotation

// ReconcileToken returns the token of a request to reconcile an object, from its annotations; empty if there is none.
func ReconcileToken(annotations map[string]string) string {
	if token := annotations[meta.ReconcileRequestAnnotation]; len(token) <= MaxToken {
		return token
	}
	return ""
}

// ForceToken returns the token of a request for another run that was not handled yet, empty if there is none. The
// request is valid only if both annotations of Flux have the same token. handled is the last token that was handled.
func ForceToken(annotations map[string]string, handled string) string {
	if token := ReconcileToken(annotations); token == annotations[meta.ForceRequestAnnotation] && token != handled {
		return token
	}
	return ""
}
