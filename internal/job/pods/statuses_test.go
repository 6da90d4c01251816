// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// TestStatuses describes for pod statuses, in the shapes in which kubelet and controllers write them, what became of the pod. What is written
// of a driver and of an executor is one line each in the golden file.
func TestStatuses(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/statuses/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no status: %v", err)
	}
	var told strings.Builder
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pod := podOf("driver")
		pod.Status = corev1.PodStatus{}
		if err := yaml.UnmarshalStrict(data, &pod.Status); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		fmt.Fprintf(&told, "%s\n", strings.TrimSuffix(filepath.Base(path), ".yaml"))
		record := RecordOf(pod)
		for _, w := range []terms{driverTerms, executorTerms} {
			o, ok := endOf(record, w)
			if !ok {
				t.Errorf("%s: the %s is said to go on", path, w.who)
				continue
			}
			fmt.Fprintf(&told, "  %-8s  %s, %s, %s: %s\n", w.who, cmp.Or(string(o.Cause), "no failure"), o.Reason, code(o.ExitCode), o.Message)
		}
	}
	golden.Compare(t, "testdata/statuses.txt", told.String())
}

func code(c *int32) string {
	if c == nil {
		return "no exit code"
	}
	return fmt.Sprintf("exit code %d", *c)
}
