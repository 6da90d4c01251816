// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// TestManifestsForOthers: the error names the kinds that submit does not accept.
func TestManifestsForOthers(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		"": "the manifest has 0 objects; submit takes one SparkApplication of sparkgate.io/v1alpha1: apply others with kubectl",
		"apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\n": `the manifest is a SparkApplication (sparkoperator.k8s.io/v1beta2); submit takes one`,
		"apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\n":              `the manifest is a SparkQueue (sparkgate.io/v1alpha1); submit takes one`,
		"kind: Pod\n---\nkind: Pod\n":                                        "the manifest has 2 objects; submit takes one",
	} {
		if code, _, problem := call(manifest, "submit", "-f", "-"); code != cli.ExitFailed || !strings.Contains(problem, want) {
			t.Errorf("%q: exit code %d, %q, want %q", manifest, code, problem, want)
		}
	}
}

// TestCallsThatAreNotMeantSo: calls that would do something other than they seem to are refused.
func TestCallsThatAreNotMeantSo(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"submit etl.yaml":                          "etl.yaml is a manifest; use -f etl.yaml",
		"submit --wait jobs/etl.json":              "jobs/etl.json is a manifest; use -f jobs/etl.json",
		"submit -f etl.yaml --timeout 2h":          "--timeout is for --wait and --logs: add one of them",
		"submit -f etl.yaml --ttl 2h":              "--ttl, --queue and --gate are for arguments of spark-submit: set spec.ttlAfterFinished and spec.queue in the manifest",
		"submit --ttl -2h -- etl.py":               "--ttl is -2h0m0s; set it to a time such as 24h, or to 0 to keep the application",
		"rerun etl --timeout 2h":                   "--timeout is for --wait and --logs: add one of them",
		"rerun etl --wait --timeout -2h":           "--timeout is -2h0m0s; set it to a time such as 2h",
		"logs etl --since -10m":                    "--since is -10m0s; set it to a time such as 10m",
		"logs etl --tail -10":                      "--tail is -10; set it to a number of lines, or to -1 for all",
		"watch --until-ended --timeout -6h":        "--timeout is -6h0m0s; set it to a time such as 6h",
		"plan -f etl.yaml --default-gate embedded": `--default-gate: unknown gate "embedded": did you mean Embedded?; gates are Embedded, Kueue,`,
		"render etl.yaml":                          "etl.yaml is a file; use -f etl.yaml",
		"plan jobs/etl.json":                       "jobs/etl.json is a file; use -f jobs/etl.json",
		"simulate week.yaml":                       "week.yaml is a file; use -f week.yaml",
		"list etl.yaml":                            `unexpected argument "etl.yaml"; see sparkctl list --help`,
		"completion tcsh":                          `unknown shell "tcsh"; use bash, zsh, fish or powershell`,
		"submit -f etl.yaml etl":                   "name a manifest with -f FILE, or give the arguments of spark-submit after --",
		"submit --spark-version 4.1.4 -- a.yml":    "a.yml is a manifest; use -f a.yml",
	} {
		if code, out, problem := call("", strings.Fields(line)...); code != cli.ExitUsage || out != "" || !strings.Contains(problem, want) {
			t.Errorf("%s: exit code %d, %q, want %q", line, code, problem, want)
		}
	}
}

// TestSecretsOfAnotherNamespace: the Secret is created in the namespace of -n, as the application is.
func TestSecretsOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	s, kubeconfig := startAPIServer(t, "mine", nil)
	const line = "submit -n etl -- --master k8s://https://10.0.0.1:6443 --deploy-mode cluster --name etl --conf spark.kubernetes.container.image=spark:4.1.4 " +
		"--conf spark.hadoop.fs.s3a.secret.key=abc local:///etl.py"
	_, _, notes := call("", append([]string{"--kubeconfig=" + kubeconfig}, strings.Fields(line)...)...)
	if want := "POST /api/v1/namespaces/etl/secrets"; !slices.Contains(s.calls, want) {
		t.Errorf("calls: %q; notes: %s", s.calls, notes)
	}
}
