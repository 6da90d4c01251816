// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The values that operator and effect of a toleration may have.
var (
	tolerationOperators = []corev1.TolerationOperator{"", corev1.TolerationOpExists, corev1.TolerationOpEqual, corev1.TolerationOpLt, corev1.TolerationOpGt}
	taintEffects        = []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
)

// checkTolerations reports tolerations that Kubernetes refuses. A driver with one would not be created. For executors
// only the log of the driver would say so, while it holds the quota of all of them.
func checkTolerations(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		for _, list := range []struct {
			path string
			of   []corev1.Toleration
		}{
			{r.Path + ".tolerations", r.Fields.Tolerations},
			{r.Path + ".template.spec.tolerations", r.parts.Template.Spec.Tolerations},
		} {
			for i := range list.of {
				path := fmt.Sprintf("%s[%d]", list.path, i)
				findings = append(findings, keyFindings(path, &list.of[i])...)
				findings = append(findings, effectFindings(path, &list.of[i])...)
			}
		}
	}
	return findings
}

// keyFindings checks operator, key and value of a toleration.
func keyFindings(path string, t *corev1.Toleration) []Finding {
	switch {
	case !slices.Contains(tolerationOperators, t.Operator):
		return []Finding{invalid(path+".operator", "value %q is not known: set Exists or Equal", t.Operator)}
	case t.Key == "" && t.Operator != corev1.TolerationOpExists:
		return []Finding{invalid(path+".key", "the key is missing: set it, or set operator to Exists to tolerate all taints")}
	case t.Key != "" && len(validation.IsQualifiedName(t.Key)) > 0:
		return []Finding{invalid(path+".key", "invalid key %q: use letters, digits, '-', '_' and '.', optionally after a domain and '/'", t.Key)}
	}
	return valueFindings(path+".value", t)
}

// valueFindings checks the value of a toleration, depending on its operator: those that compare numbers need one, which
// may be negative, unlike a label value.
func valueFindings(field string, t *corev1.Toleration) []Finding {
	switch t.Operator {
	case corev1.TolerationOpExists:
		if t.Value != "" {
			return []Finding{invalid(field, "value %q excludes the operator Exists: remove it, or set operator to Equal", t.Value)}
		}
	case corev1.TolerationOpLt, corev1.TolerationOpGt:
		if len(content.IsDecimalInteger(t.Value)) > 0 {
			return []Finding{invalid(field, "value %q is not a whole number, which the operator %s compares: write one such as 5", t.Value, t.Operator)}
		}
	default:
		if len(validation.IsValidLabelValue(t.Value)) > 0 {
			return []Finding{invalid(field, "invalid value %q: use at most 63 letters, digits, '-', '_' and '.'", t.Value)}
		}
	}
	return nil
}

// effectFindings checks the effect of a toleration.
func effectFindings(path string, t *corev1.Toleration) []Finding {
	switch {
	case !slices.Contains(taintEffects, t.Effect):
		return []Finding{invalid(path+".effect", "value %q is not known: set NoSchedule, PreferNoSchedule or NoExecute", t.Effect)}
	case t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute:
		return []Finding{invalid(path+".tolerationSeconds", "value %d needs the effect NoExecute: set effect to NoExecute, or remove it", *t.TolerationSeconds)}
	}
	return nil
}
