// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"strings"
	"testing"
)

func TestObjectNamed(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"pi":                               "SparkApplication pi",
		"sgapp/pi":                         "SparkApplication pi",
		"sgapp pi":                         "SparkApplication pi",
		"sparkapplication.sparkgate.io/pi": "SparkApplication pi",
		"queue team-a":                     "SparkQueue team-a",
		"sgq/team-a":                       "SparkQueue team-a",
		"sparkqueues.sparkgate.io team-a":  "SparkQueue team-a",
		"pod/pi":                           "",
		"sgapp/":                           "",
		"a/b/c":                            "",
		"sgapp a/b":                        "",
	} {
		kind, name, err := objectNamed(strings.Fields(words))
		if got := strings.TrimSpace(kind + " " + name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", words, got, err, want)
		}
	}
}
