// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import "github.com/fluxcd/pkg/apis/meta"

// MaxToken is the length in bytes up to which the token of a request is honoured: the status echoes it. Flux's tokens
// are times.
const MaxToken = 256

// ForceAnnotation requests a run.
const ForceAnnotation = meta.ForceRequestAnnotation

// ReconcileToken returns the token of a request to look at an object, from its annotations; empty if there is none.
func ReconcileToken(annotations map[string]string) string {
	if token := annotations[meta.ReconcileRequestAnnotation]; len(token) <= MaxToken {
		return token
	}
	return ""
}

// ForceToken returns the token of a request to run that was not handled yet: both of Flux's annotations carry it. It is
// empty if there is none. handled is the one that was handled last.
func ForceToken(annotations map[string]string, handled string) string {
	if token := ReconcileToken(annotations); token == annotations[meta.ForceRequestAnnotation] && token != handled {
		return token
	}
	return ""
}
