// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

// TestNUL: no process can be given this character, so that the kubelet would try for ever.
func TestNUL(t *testing.T) {
	t.Parallel()
	const container = ` have the character U+0000, which no process can be given: remove it`
	table{
		"an argument": {`arguments: [a, "b\0"]`, []string{"spec.arguments[1]: the argument has the character U+0000, which no process can be given: remove it",
			`spec.driver: command, arguments or environment of the container "spark-kubernetes-driver"` + container}},
		"a variable": {`driver: {env: [{name: A, value: "b\0"}]}`, []string{`spec.driver: command, arguments or environment of the container "spark-kubernetes-driver"` + container}},
		"a sidecar": {`executor: {template: {spec: {containers: [{name: spark-kubernetes-executor}, {name: side, args: ["\0"]}]}}}`, []string{
			`spec.executor: command, arguments or environment of the container "side"` + container}},
		"an init container": {`driver: {template: {spec: {initContainers: [{name: init, image: x, command: ["\0"]}]}}}`, []string{
			`spec.driver: command, arguments or environment of the container "init"` + container}},
		"a property that becomes a variable": {`sparkConf: {spark.executorEnv.A: "b\0"}`, []string{
			"spec.sparkConf[spark.executorEnv.A]: the value has the character U+0000, which no process can be given: remove it"}},
	}.run(t)
}

// TestFieldsPrint: a key that does more than print is quoted wherever a finding names it.
func TestFieldsPrint(t *testing.T) {
	t.Parallel()
	const noName = `, optionally after a domain and '/'`
	table{
		"a file": {`configMaps: [{name: a, mountPath: /a, data: {"x\n": y}}]`, []string{
			`spec.configMaps[a].data["x\n"]: invalid file name "x\n": use at most 253 letters, digits, '-', '_' and '.', and no folders`}},
		"a variable": {`driver: {env: [{name: "A\e[2J", value: x}]}`, []string{
			`spec.driver.env["A\x1b[2J"]: invalid environment variable name "A\x1b[2J": use letters, digits, '-', '_' and '.'`}},
		"a label of a template": {`driver: {template: {metadata: {labels: {"a\n": b}}}}`, []string{
			`spec.driver.template.metadata.labels["a\n"]: invalid label key "a\n": use letters, digits, '-', '_' and '.'` + noName}},
	}.run(t)
}
