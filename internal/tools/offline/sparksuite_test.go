// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// suiteTemplates are pod templates as Spark's suite has them: with a kind that begins with a capital letter in its name.
var suiteTemplates = map[string]string{
	"/driver-template.yml": "apiVersion: v1\nKind: Pod\nmetadata: {labels: {template-label-key: driver-template-label-value}}\n" +
		"spec: {containers: [{name: test-driver-container, image: will-be-overwritten}]}\n",
	"/executor-template.yml": "apiVersion: v1\nKind: Pod\nmetadata: {labels: {template-label-key: executor-template-label-value}}\n" +
		"spec: {containers: [{name: test-executor-container, image: will-be-overwritten}]}\n",
	"/driver-schedule-template.yml": "apiVersion: v1\nKind: Pod\nspec: {priorityClassName: system-node-critical, containers: [{name: d, image: will-be-overwritten}]}\n",
}

// TestSparksOwnSuite: what Spark's own tests submit is taken as it is, or refused with the reason in testdata/spark-suite.txt.
func TestSparksOwnSuite(t *testing.T) {
	t.Parallel()
	const file = "testdata/spark-suite.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, lines, _ := strings.Cut(string(text), "\n\n")
	got, taken, all := head+"\n\n", 0, 0
	for line := range strings.Lines(lines) {
		name, options, isScenario := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if strings.HasPrefix(line, "    ") || !isScenario {
			continue
		}
		all++
		why := refusalOf(t, strings.Fields(options))
		if why == "" {
			taken++
			why = "taken"
		}
		got += name + ": " + options + "\n    " + why + "\n"
	}
	golden.Compare(t, file, got+fmt.Sprintf("%d of %d are taken.\n", taken, all))
}

// refusalOf returns why a command of spark-submit is refused; empty if it is not.
func refusalOf(t *testing.T, options []string) string {
	t.Helper()
	common := []string{
		"--master", "k8s://https://kubernetes.example.com", "--conf", "spark.kubernetes.container.image=spark:4.1.4", "--conf", "spark.kubernetes.namespace=suite",
		"--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark", "--conf", "spark.kubernetes.submission.waitAppCompletion=false",
	}
	submitted, err := FromSubmit(Submission{Arguments: append(common, options...), ReadFile: func(name string) ([]byte, error) {
		if text, ok := suiteTemplates[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil {
		return "refused: " + err.Error()
	}
	for _, f := range submitted.Findings {
		if !f.Warning {
			return "refused: " + f.Field + ": " + f.Message
		}
	}
	return ""
}
