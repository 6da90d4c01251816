// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// schema is the part of an OpenAPI schema that the rules duplicate.
type schema struct {
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	Enum       []string           `json:"enum"`
	Pattern    string             `json:"pattern"`
	AllOf      []schema           `json:"allOf"`
	Minimum    *int64             `json:"minimum"`
	Maximum    *int64             `json:"maximum"`
	MinItems   *int               `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	MaxLength  *int               `json:"maxLength"`
}

func crd(t *testing.T, file string) (text string, spec *schema) {
	t.Helper()
	data, err := os.ReadFile("../../../../config/crd/bases/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	return string(data), object.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// at returns the schema at a path, in which [] is the element of a list.
func (s *schema) at(t *testing.T, path string) *schema {
	t.Helper()
	for _, step := range strings.Split(path, ".") {
		key, isList := strings.CutSuffix(step, "[]")
		if s = s.Properties[key]; s == nil {
			t.Fatalf("the schema has no %s (%s)", path, step)
		}
		if isList {
			s = s.Items
		}
	}
	return s
}

// TestRulesAreThoseOfTheSchema compares the limits in this package with the CRDs.
func TestRulesAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	text, spec := crd(t, "sparkgate.io_sparkqueues.yaml")
	for path, values := range map[string][]string{
		"strategy":                           strategies,
		"stopPolicy":                         stops,
		"preemption.withinQueue":             withinQueue,
		"preemption.reclaimWithinTree":       reclaims,
		"preemption.borrowWithinTree.policy": borrows,
	} {
		if diff := cmp.Diff(spec.at(t, path).Enum, values); diff != "" {
			t.Errorf("values of %s (-schema +here):\n%s", path, diff)
		}
	}
	const quota = "flavors[].quotas[]."
	for _, path := range []string{quota + "nominal", quota + "borrowingLimit", quota + "lendingLimit"} {
		if got := spec.at(t, path).AllOf[1].Pattern; got != quantityForm.String() {
			t.Errorf("pattern of %s: the schema has %s, here it is %s", path, got, quantityForm)
		}
	}
	parent, weight := spec.at(t, "parent"), spec.at(t, "weight")
	timeout := spec.at(t, "headTimeout")
	for what, agrees := range map[string]bool{
		"head timeouts":  strings.Contains(text, "self.matches('"+durationForm.String()+"')") && *timeout.MaxLength == maxDuration,
		"names":          parent.Pattern == nameForm.String() && *parent.MaxLength == maxName,
		"names of kinds": strings.Contains(text, "size(self.metadata.name) <= 63 && self.metadata.name.matches('"+nameForm.String()+"')"),
		"weight":         *weight.Minimum == 1 && *weight.Maximum == maxWeight,
		"maxRunning":     *spec.at(t, "maxRunning").Minimum == 0,
		"flavors":        *spec.at(t, "flavors").MaxItems == maxFlavors && *spec.at(t, "flavors[].name").MaxLength == maxName,
		"quotas":         *spec.at(t, "flavors[].quotas").MinItems == 1 && *spec.at(t, "flavors[].quotas").MaxItems == maxQuotas,
		"resources":      *spec.at(t, quota+"resource").MaxLength == maxResource,
	} {
		if !agrees {
			t.Errorf("the rules for %s differ from the schema", what)
		}
	}
}
