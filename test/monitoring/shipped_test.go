// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// object is what these tests need of an object of config/monitoring.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Groups              []any
		JobLabel            string
		PodMetricsEndpoints []struct {
			Port, Path  string
			HonorLabels bool
		}
	}
}

// shipped returns the objects of a kind, as kustomize builds them.
func shipped(t *testing.T, kind string) []object {
	t.Helper()
	text, err := env.Kubectl(t, "kustomize", filepath.Join(env.Root(), "config", "monitoring"))
	if err != nil {
		t.Fatal(err)
	}
	var found []object
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}
		if o.Kind == kind {
			found = append(found, o)
		}
	}
	if len(found) == 0 {
		t.Fatalf("config/monitoring has no %s", kind)
	}
	return found
}

// shippedGroups returns the file of rules that the Prometheus Operator makes of the PrometheusRule.
func shippedGroups(t *testing.T) []byte {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"groups": shipped(t, "PrometheusRule")[0].Spec.Groups})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestThePodMonitorIsAsHere: the labels that these tests give to scraped series are those of the PodMonitor.
func TestThePodMonitorIsAsHere(t *testing.T) {
	t.Parallel()
	spec := shipped(t, "PodMonitor")[0].Spec
	if e := spec.PodMetricsEndpoints; spec.JobLabel != "app.kubernetes.io/name" || len(e) != 1 || !e[0].HonorLabels || e[0].Path != "/metrics" || e[0].Port != "metrics" {
		t.Errorf("it is %+v", spec)
	}
}
