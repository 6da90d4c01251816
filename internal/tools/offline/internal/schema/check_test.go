// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestSchemasAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"SparkApplication", "SparkQueue", "SparkFlavor"} {
		if _, known, err := Of(kind); err != nil || !known {
			t.Errorf("%s: known = %t, error %v", kind, known, err)
		}
	}
	if _, known, _ := Of("Pod"); known {
		t.Error("there is a schema of pods")
	}
}

// TestCheck: each change of an object that is right leads to exactly the findings that are named.
func TestCheck(t *testing.T) {
	t.Parallel()
	const application = `
metadata: {name: pi}
spec:
  type: Java
  sparkVersion: 4.1.4
  image: spark
  mainApplicationFile: local:///a.jar
`
	const queue = "metadata: {name: q}\nspec: {flavors: [{name: default, quotas: [{resource: cpu, nominal: 1}]}]}\n"
	for name, test := range map[string]struct {
		kind, object string
		want         []string
	}{
		"right":       {"SparkApplication", application, nil},
		"right queue": {"SparkQueue", queue, nil},
		"required": {
			"SparkApplication", "metadata: {name: pi}\nspec: {type: Java, sparkVersion: 4.1.4}",
			[]string{"spec.image: the field is required", "spec.mainApplicationFile: the field is required: set mainApplicationFile to the jar, Python or R file to run, or server to run a server of Spark"},
		},
		"required with a choice": {
			"SparkApplication", strings.Replace(application, "  type: Java\n", "", 1), []string{"spec.type: the field is required: set Java, Scala, Python or R"},
		},
		"closed set": {
			"SparkApplication", strings.Replace(application, "Java", "Rust", 1), []string{`spec.type: value "Rust" is not known: set Java, Scala, Python or R`},
		},
		"rule": {
			"SparkApplication", application + "  driver: {memory: 4Gi}",
			[]string{`spec.driver.memory: value "4Gi" is not allowed: set memory in Spark's notation: a whole number followed by k, m, g or t, such as 512m or 4g; write "4g"`},
		},
		"rule of the whole": {
			"SparkApplication", strings.Replace(application, "name: pi", "name: Pi_1", 1), []string{
				`metadata.name: value "Pi_1" is not allowed: set metadata.name to a DNS label of at most 63 characters: ` +
					`lower-case letters, digits and '-', beginning and ending with a letter or digit`,
			},
		},
		"kind of a value": {
			"SparkApplication", application + "  driver: {cores: two, env: {A: b}}", []string{
				`spec.driver.cores: expected an integer (without quotes), found a string: "two"`,
				`spec.driver.env: expected a list, found an object: {"A":"b"}`,
			},
		},
		"what lacks a unit": {
			"SparkApplication", application + "  driver: {cores: 0.1, memory: 512}\n  ttlAfterFinished: 300\n  timeouts: {run: '45'}", []string{
				"spec.driver.cores: write coreRequest: 100m instead, for a part of a CPU",
				`spec.driver.memory: expected a string (in quotes), found an integer: 512; write "512m"`,
				`spec.timeouts.run: value "45" is not allowed: set run to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits; write "45s" if it counts seconds`,
				`spec.ttlAfterFinished: expected a string (in quotes), found an integer: 300; write "5m" if it counts seconds`,
			},
		},
		"number in a map of texts": {
			"SparkApplication", application + "  sparkConf: {spark.a: 1, spark.password: 2}", []string{
				"spec.sparkConf[spark.a]: expected a string (in quotes), found an integer: 1",
				"spec.sparkConf[spark.password]: expected a string (in quotes), found an integer: (hidden)",
			},
		},
		"keys like paths": {
			"SparkApplication", application + "  sparkConf: {spark.a: b, 'spark.a.b[0]': 1, 'x in body y': 2}", []string{
				"spec.sparkConf[spark.a.b[0]]: expected a string (in quotes), found an integer: 1",
				"spec.sparkConf[x in body y]: expected a string (in quotes), found an integer: 2",
			},
		},
		"wrong kind beside a broken rule": {
			"SparkApplication", application + "  driver: {memory: 4Gi, cores: two}", []string{
				`spec.driver.cores: expected an integer (without quotes), found a string: "two"`,
				`spec.driver.memory: value "4Gi" is not allowed: set memory in Spark's notation: a whole number followed by k, m, g or t, such as 512m or 4g; write "4g"`,
			},
		},
		"nothing": {"SparkApplication", application + "  arguments: null", []string{"spec.arguments: expected a list, found null: null"}},
		"bounds": {
			"SparkApplication", application + "  executor: {instances: 0, cores: 2000}",
			[]string{"spec.executor.cores: value 2000 is too large: set at most 1024", "spec.executor.instances: value 0 is too small: set at least 1"},
		},
		"length": {"SparkApplication", application + "  runID: " + strings.Repeat("ä", 257), []string{"spec.runID: value \"" + strings.Repeat("ä", 63) + "… has 257 characters: give at most 256"}},
		"empty":  {"SparkApplication", strings.Replace(application, "image: spark", `image: ""`, 1), []string{"spec.image: the value must not be empty"}},
		"too many": {
			"SparkApplication", application + "  arguments: [" + strings.Repeat("a,", 1025) + "]", []string{"spec.arguments: there are 1025 entries: give at most 1024 items"},
		},
		"pattern": {"SparkApplication", application + "  driver: {podName: A}", []string{`spec.driver.podName: value "A" is not a valid name: ` +
			"use lower-case letters, digits and '-', beginning and ending with a letter or digit"}},
		"twice": {
			"SparkApplication", application + "  driver: {env: [{name: A}, {name: A}]}", []string{`spec.driver.env[1]: duplicate entry with name "A"`},
		},
		"quantity below zero": {
			"SparkQueue", strings.Replace(queue, "nominal: 1", `nominal: "-1"`, 1),
			[]string{`spec.flavors[0].quotas[0].nominal: value "-1" is not a quantity: give zero or more with an optional unit, such as 8, 500m or 32Gi`},
		},
		"number below zero": {
			"SparkQueue", strings.Replace(queue, "nominal: 1", "nominal: -1", 1),
			[]string{"spec.flavors[0].quotas[0].nominal: value -1 is not allowed: set nominal to a quantity of zero or more, such as 8 or 32Gi"},
		},
		"no resource": {
			"SparkQueue", strings.Replace(queue, "resource: cpu", "resource: mem", 1),
			[]string{`spec.flavors[0].quotas[0].resource: value "mem" is not allowed: set resource to cpu, memory, ephemeral-storage, pods, hugepages-<size>, ` +
				"or a name with a domain such as nvidia.com/gpu; did you mean memory?"},
		},
		"built-in name": {
			"SparkFlavor", "metadata: {name: default}\nspec: {nodeLabels: {a: b}}",
			[]string{`metadata.name: value "default" is not allowed: choose another metadata.name: the flavor default is built in and has no labels`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, err := Of(test.kind)
			if err != nil {
				t.Fatal(err)
			}
			var object map[string]any
			if err := yaml.Unmarshal([]byte(test.object), &object); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range s.Check(object) {
				got = append(got, f.Field+": "+f.Message)
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestPatternsHaveWords: a message does not show a regular expression.
func TestPatternsHaveWords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		spec, _, _ := strings.Cut(string(text), "\n          status:\n")
		for _, found := range regexp.MustCompile(`pattern: (.+)`).FindAllStringSubmatch(spec, -1) {
			if patterns[found[1]] == "" {
				t.Errorf("%s: no words for %s", filepath.Base(file), found[1])
			}
		}
	}
}
