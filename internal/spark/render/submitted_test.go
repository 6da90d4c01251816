// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/spark/deviations"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestSubmittedRecordings translates every recorded call of spark-submit into an application, builds that, and compares with what the real
// client sent. What the client refused also has to be refused. Every entry of the lists has to be met.
func TestSubmittedRecordings(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	outcomes := map[string]int{}
	for name, file := range recordedCalls(t) {
		t.Run(name, func(t *testing.T) {
			diff, err := offline.DiffSubmit(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(diff.Differences) > 0 {
				t.Error(strings.Join(diff.Differences, "\n"))
			}
			outcomes[diff.Outcome]++
			for _, used := range diff.Deviations {
				met[used.Where] = true
			}
		})
	}
	if t.Failed() {
		return
	}
	for _, deviation := range slices.Concat(deviations.Intended, deviations.Rejections, deviations.SubmissionHost, deviations.Accepted) {
		for _, where := range deviation.Where {
			isSecurity := strings.HasSuffix(where, "securityContext") // translated calls say podSecurity: None; TestRecordings shows these
			if !met[where] && !isSecurity {
				t.Errorf("no recorded call shows the deviation %q: remove it, or record a case", where)
			}
		}
	}
	t.Logf("calls: %v", outcomes)
}

// recordedCalls returns all recordings by version and name: those that also have an application, and those of a call
// alone.
func recordedCalls(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, archive := range archives(t) {
		files[archive.SparkVersion+"/"+archive.Case] = submissionFile(t, archive)
	}
	paths, err := filepath.Glob("testdata/submissions/*/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded calls: %v", err)
	}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)] = file
	}
	return files
}
