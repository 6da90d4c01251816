// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

// TestTolerations: what Kubernetes would refuse is said before anything is asked for, also about executors, which only Spark creates.
func TestTolerations(t *testing.T) {
	t.Parallel()
	table{
		"right": {`executor: {tolerations: [{operator: Exists}, {key: a, value: b}, {key: x.org/a, operator: Exists, effect: NoExecute, tolerationSeconds: 3}, {key: a, operator: Gt, value: "5"}, {key: a, operator: Lt, value: "-5"}]}`, nil},
		"numbers": {`executor: {tolerations: [{key: a, operator: Gt, value: high}, {key: a, operator: Lt}]}`, []string{
			`spec.executor.tolerations[0].value: value "high" is not a whole number, which the operator Gt compares: write one such as 5`,
			`spec.executor.tolerations[1].value: value "" is not a whole number, which the operator Lt compares: write one such as 5`,
		}},
		"of executors": {`executor: {tolerations: [{key: spot, operator: Equals, value: "true"}, {key: spot, effect: NoSchedual}, {value: a}]}`, []string{
			`spec.executor.tolerations[0].operator: value "Equals" is not known: set Exists or Equal`,
			`spec.executor.tolerations[1].effect: value "NoSchedual" is not known: set NoSchedule, PreferNoSchedule or NoExecute`,
			`spec.executor.tolerations[2].key: the key is missing: set it, or set operator to Exists to tolerate all taints`,
		}},
		"of a template": {`
driver: {tolerations: [{key: a b}]}
executor: {template: {spec: {tolerations: [{key: a, operator: Exists, value: b}, {key: a, value: b c}, {key: a, tolerationSeconds: 3}]}}}`, []string{
			`spec.driver.tolerations[0].key: invalid key "a b": use letters, digits, '-', '_' and '.', optionally after a domain and '/'`,
			`spec.executor.template.spec.tolerations[0].value: value "b" excludes the operator Exists: remove it, or set operator to Equal`,
			`spec.executor.template.spec.tolerations[1].value: invalid value "b c": use at most 63 letters, digits, '-', '_' and '.'`,
			`spec.executor.template.spec.tolerations[2].tolerationSeconds: value 3 needs the effect NoExecute: set effect to NoExecute, or remove it`,
		}},
	}.run(t)
}
