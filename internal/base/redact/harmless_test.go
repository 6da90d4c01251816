// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHarmless: what Spark, Hadoop and Kubernetes log survives: ids, hashes, names of classes and files, stack frames, plans; and the
// sentences of kubelet, scheduler, API server and Spark about secrets and tokens.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/driver.log", "testdata/sentences.txt"} {
		log, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(string(log), "\t", " ")
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(Text(string(log)), "\n")); diff != "" {
			t.Errorf("%s (-log +got):\n%s", file, diff)
		}
		for line := range strings.Lines(want) { // what is harmless among others may not be so alone
			if got := Text(line); got != line {
				t.Errorf("%q became %q", line, got)
			}
		}
	}
}
