// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestImages: names that a kubelet would call InvalidImageName are refused for each role, and all others are taken.
func TestImages(t *testing.T) {
	t.Parallel()
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for _, image := range []string{
		"spark", "spark:4.1.4", "apache/spark:4.1.4-scala2.13-java21-python3-ubuntu", "docker.io/apache/spark", "localhost:5000/spark:A_b.c-D", "Registry.Example.org/team/spark",
		"[::1]:5000/spark:1", "ghcr.io/a__b/c--d/e.f_g", "spark" + digest, "spark:4" + digest, "apache/spark:{{SPARK_VERSION}}",
	} {
		if got := imagesOf(t, image, ""); len(got) > 0 {
			t.Errorf("%s is refused: %v", image, got)
		}
	}
	for _, image := range []string{"Spark:4", " spark:4", "spark:4 ", "spark 4", "https://registry.example.org/spark", "spark:", "spark:4:1", "docker.io//spark", "spark@sha256:12", "team/Spark", "-spark", "spark:ä"} {
		got := imagesOf(t, image, "")
		if len(got) != 1 || got[0].Field != "spec.image" || !strings.Contains(got[0].Message, `invalid image name "`+image+`": write it as in docker.io/`) {
			t.Errorf("%q: %v", image, got)
		}
	}
	if got := imagesOf(t, "spark", "Spark:4"); len(got) != 1 || got[0].Field != "spec.executor.image" {
		t.Errorf("of executors: %v", got)
	}
}

func imagesOf(t *testing.T, image, executor string) []Finding {
	t.Helper()
	app := &v1alpha1.SparkApplication{}
	app.Spec.Image, app.Spec.Executor.Image = image, executor
	return checkImages(newSubject(app))
}
