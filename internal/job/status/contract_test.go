// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/fluxcd/pkg/runtime/conditions"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
	"github.com/sparkgate/sparkgate/internal/testing/argocd"
)

// The judges of this file are those that users have: each takes an object as the API server would serve it and says what it thinks.

// kstatusOf returns the verdict of the library that Flux and kubectl plug-ins use.
func kstatusOf(t *testing.T, obj *unstructured.Unstructured) string {
	t.Helper()
	result, err := status.Compute(obj)
	if err != nil {
		t.Fatalf("kstatus: %v", err)
	}
	return result.Status.String()
}

// argoOf returns the verdict of Argo CD with the shipped script.
func argoOf(t *testing.T, obj *unstructured.Unstructured) (health, message string) {
	t.Helper()
	return argocd.Health(t, gitops.ArgoCDHealthLua, obj)
}

// celOf returns the verdict of Flux with the shipped expressions of one profile.
func celOf(t *testing.T, profile string, obj *unstructured.Unstructured) string {
	t.Helper()
	var profiles map[string][]kustomize.CustomHealthCheck
	if err := yaml.UnmarshalStrict(gitops.FluxHealthCheckExprs, &profiles); err != nil {
		t.Fatalf("health-check-exprs.yaml: %v", err)
	}
	for _, c := range profiles[profile] {
		if c.APIVersion != obj.GetAPIVersion() || c.Kind != obj.GetKind() {
			continue
		}
		evaluator, err := cel.NewStatusEvaluator(&c.HealthCheckExpressions)
		if err != nil {
			t.Fatalf("profile %s: %v", profile, err)
		}
		result, err := evaluator.Evaluate(t.Context(), obj)
		if err != nil {
			t.Fatalf("profile %s: %v", profile, err)
		}
		return result.Status.String()
	}
	t.Fatalf("health-check-exprs.yaml has no profile %q for %s", profile, obj.GetKind())
	return ""
}

// Flux has two sets of checks: one for objects at rest, one for objects on their way.
type checkSet int

const (
	atRest checkSet = iota
	onTheWay
	unchecked // nothing published: no controller can satisfy the checker before its first write
)

// checkFlux asks Flux's own checker of conditions; a warning counts as a failure.
func checkFlux(t *testing.T, set checkSet, obj conditions.Getter) {
	t.Helper()
	var checker *check.Checker
	switch set {
	case unchecked:
		return
	case atRest:
		checker = check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{v1alpha1.StalledCondition, v1alpha1.ReconcilingCondition}})
	case onTheWay:
		checker = check.NewInProgressChecker(nil)
	}
	checker.DisableFetch = true
	checker.Stdout, checker.Stderr = io.Discard, io.Discard
	fail, warn := checker.Check(t.Context(), obj)
	if fail != nil || warn != nil {
		t.Errorf("Flux's checker: fail %v, warn %v", fail, warn)
	}
}

// kubectlWaits lists the condition types for which `kubectl wait --for=condition=X` returns. Its rule: type and status are compared
// without regard to case, and a condition counts only if its observedGeneration, or else that of the status, is not behind the object.
func kubectlWaits(obj *unstructured.Unstructured) []string {
	met := []string{}
	all, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range all {
		condition := item.(map[string]any)
		observed, found, _ := unstructured.NestedInt64(condition, "observedGeneration")
		if !found {
			observed, found, _ = unstructured.NestedInt64(obj.Object, "status", "observedGeneration")
		}
		if found && observed < obj.GetGeneration() {
			continue
		}
		if strings.EqualFold(condition["status"].(string), "true") {
			met = append(met, condition["type"].(string))
		}
	}
	slices.Sort(met)
	return met
}

// served returns the object as a client reads it: through JSON, with group and kind.
func served(t *testing.T, kind string, obj runtime.Object) *unstructured.Unstructured {
	t.Helper()
	raw, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,%s`, v1alpha1.GroupVersion.String(), kind, raw[1:])); err != nil {
		t.Fatal(err)
	}
	return u
}

// short writes conditions in their order as Type=Status/Reason; the reasons of Running and Finished repeat their status and are left out.
func short(all []metav1.Condition) string {
	words := make([]string, 0, len(all))
	for _, c := range all {
		word := c.Type + "=" + string(c.Status)
		if c.Type != v1alpha1.RunningCondition && c.Type != v1alpha1.FinishedCondition {
			word += "/" + c.Reason
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// at returns a moment some seconds after an arbitrary beginning.
func at(seconds int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second))
}
