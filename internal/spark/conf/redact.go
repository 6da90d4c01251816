// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"regexp"
	"strconv"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// sensitive matches the keys whose values Spark hides in its own listings (its default redaction pattern from 4.0 on).
var sensitive = regexp.MustCompile(`(?i)secret|password|token|access[.]?key`)

// Sensitive reports whether the value of a key must not be shown.
func Sensitive(key string) bool { return sensitive.MatchString(key) }

// Masked is shown in place of a sensitive value.
const Masked = redact.Masked

// Quote returns the value for a message: quoted, cut to a readable length, and hidden if the key is sensitive.
func Quote(key, value string) string {
	if Sensitive(key) {
		return Masked
	}
	const longest = 128
	if len(value) > longest {
		return strconv.Quote(value[:longest]) + "…"
	}
	return strconv.Quote(value)
}
