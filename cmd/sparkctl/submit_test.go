// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// TestCallsThatAreNotMeantSo: calls that would do something else than what they look like.
func TestCallsThatAreNotMeantSo(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"submit etl.yaml":                          "etl.yaml is a manifest: name it with -f etl.yaml",
		"submit --wait jobs/etl.json":              "jobs/etl.json is a manifest: name it with -f jobs/etl.json",
		"submit -f etl.yaml --timeout 2h":          "--timeout is for --wait and --logs: add one of them",
		"rerun etl --timeout 2h":                   "--timeout is for --wait and --logs: add one of them",
		"rerun etl --wait --timeout -2h":           "--timeout is -2h0m0s; set it to a time such as 2h",
		"logs etl --since -10m":                    "--since is -10m0s; set it to a time such as 10m",
		"logs etl --tail -10":                      "--tail is -10; set it to a number of lines, or to -1 for all",
		"watch --until-ended --timeout -6h":        "--timeout is -6h0m0s; set it to a time such as 6h",
		"plan -f etl.yaml --default-gate embedded": `--default-gate: there is no gate "embedded": did you mean Embedded?; gates are Embedded, Kueue,`,
		"submit -f etl.yaml etl":                   "name a manifest with -f FILE, or give the arguments of spark-submit after --",
		"submit --spark-version 4.1.4 -- a.yml":    "a.yml is a manifest: name it with -f a.yml",
	} {
		if code, out, problem := call("", strings.Fields(line)...); code != exitUsage || out != "" || !strings.Contains(problem, want) {
			t.Errorf("%s: exit code %d, %q, want %q", line, code, problem, want)
		}
	}
}
