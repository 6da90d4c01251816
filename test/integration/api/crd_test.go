// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// maxCRD is our own limit. A client-side apply stores the whole file in an annotation, and annotations end at 256 KiB.
const maxCRD = 100_000

func TestCRDsAreSmall(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		info, err := os.Stat(crdPath(plural))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", plural, info.Size())
		if info.Size() >= maxCRD {
			t.Errorf("%s has %d bytes, the limit is %d", crdPath(plural), info.Size(), maxCRD)
		}
	}
}

// TestClientSideApply is not parallel: for a moment after a change of a CRD, kubectl may not find its kind.
func TestClientSideApply(t *testing.T) {
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			if out, err := env.Kubectl(t, "apply", "-f", crdPath(plural)); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := env.Kubectl(t, "get", "crd", plural+".sparkgate.io", "-o", `jsonpath={.metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration}`)
			if err != nil {
				t.Fatal(err)
			}
			if len(out) == 0 {
				t.Error("kubectl apply left no annotation: it was not a client-side apply")
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		short string
		scope apiextensionsv1.ResourceScope
	}{
		"sparkapplications":          {"sgapp", apiextensionsv1.NamespaceScoped},
		"scheduledsparkapplications": {"sgsched", apiextensionsv1.NamespaceScoped},
		"sparkclusters":              {"sgcluster", apiextensionsv1.NamespaceScoped},
		"sparkqueues":                {"sgq", apiextensionsv1.ClusterScoped},
		"sparkflavors":               {"sgflavor", apiextensionsv1.ClusterScoped},
	}
	for plural := range kinds {
		crd := readCRD(t, plural)
		if diff := cmp.Diff([]string{want[plural].short}, crd.Spec.Names.ShortNames); diff != "" {
			t.Errorf("%s: short names (-want +got):\n%s", plural, diff)
		}
		if diff := cmp.Diff([]string{"sparkgate"}, crd.Spec.Names.Categories); diff != "" {
			t.Errorf("%s: categories (-want +got):\n%s", plural, diff)
		}
		if crd.Spec.Scope != want[plural].scope {
			t.Errorf("%s: scope %s, want %s", plural, crd.Spec.Scope, want[plural].scope)
		}
	}
}

// TestNoDefaultBelowSpec: a default of a field of the run template that moves with an upgrade would start every finished job again, and
// one elsewhere would be drift for users who compare with Git. A queue whose spec is left out has an empty one
// (TestAQueueLosesItsQuota).
func TestNoDefaultBelowSpec(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		for _, p := range places(t, plural) {
			if p.schema.Default == nil || plural == "sparkqueues" && p.String() == "spec" && string(p.schema.Default.Raw) == "{}" {
				continue
			}
			t.Errorf("%s has the default %s", p, p.schema.Default.Raw)
		}
	}
}

// TestListsAndMapsAreDeclared: without a list type, two field managers cannot share a list.
func TestListsAndMapsAreDeclared(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		for _, p := range places(t, plural) {
			if p.schema.Type == "array" && p.schema.XListType == nil {
				t.Errorf("%s has no list type", p)
			}
		}
	}
}

// TestEveryFieldHasAType: a value of any type would be stored and then fail the operator's Go types.
func TestEveryFieldHasAType(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		for _, p := range places(t, plural) {
			if p.schema.Type == "" && !p.schema.XIntOrString {
				t.Errorf("%s accepts any type", p)
			}
		}
	}
}
