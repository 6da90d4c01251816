// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"regexp"
	"strings"
)

var (
	notInLabel = regexp.MustCompile(`[^a-z0-9-]`)
	dashes     = regexp.MustCompile(`-+`)
)

// appNameLabel turns an application's name into a label value as Spark does; a name of symbols only becomes "".
func appNameLabel(name string) string {
	const longest = 63
	name = strings.TrimFunc(name, func(c rune) bool { return c <= ' ' })
	name = dashes.ReplaceAllString(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	name = name[:min(len(name), longest)]
	return strings.TrimSuffix(strings.TrimPrefix(name, "-"), "-")
}
