// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExecutorLine: of an executor stays what depends on the application, without what is random or the same in all.
func TestExecutorLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ executor, want string }{
		"Spark's variables and arguments": {
			executor: `{"metadata": {"name": "pi-exec-1", "labels": {"a": "b"}}, "spec": {"containers": [
				{"name": "spark", "args": ["executor"], "env": [{"name": "SPARK_USER", "value": "x"}, {"name": "A", "value": "b"}]},
				{"name": "logs", "env": [{"name": "SPARK_X"}]}]}}`,
			want: `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"env":[{"name":"A","value":"b"}],"name":"spark"},{"name":"logs"}]}}`,
		},
		"shuffled folders": {
			executor: `{"spec": {"volumes": [{"name": "spark-local-dir-2", "emptyDir": {}}, {"name": "spark-local-dir-1", "emptyDir": {}}],
				"containers": [{"volumeMounts": [{"name": "spark-local-dir-1", "mountPath": "/z"}, {"name": "spark-local-dir-2", "mountPath": "/y"}]}]}}`,
			want: `{"metadata":null,"spec":{"containers":[{"volumeMounts":[{"mountPath":"/y","name":"spark-local-dir-1"},` +
				`{"mountPath":"/z","name":"spark-local-dir-2"}]}],"volumes":[{"emptyDir":{},"name":"spark-local-dir-1"},{"emptyDir":{},"name":"spark-local-dir-2"}]}}`,
		},
		"random names": {
			executor: `{"spec": {"volumes": [{"configMap": {"name": "spark-exec-ca2228a2146ad7aa-conf-map"}}, {"x": "/var/data/spark-2f66de31-5a51-4f3d-968f-8842767e8b79"}]}}`,
			want: `{"metadata":null,"spec":{"volumes":[{"configMap":{"name":"spark-exec-0000000000000000-conf-map"}},` +
				`{"x":"/var/data/spark-00000000-0000-0000-0000-000000000000"}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, executorFile), []byte(test.executor), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := executorLine(folder); err != nil || got != test.want {
				t.Errorf("line %s, error %v, want %s", got, err, test.want)
			}
		})
	}
}

// TestExecutorThatSparkCannotBuild: the reason is what Spark says.
func TestExecutorThatSparkCannotBuild(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, errorFile), []byte("java.lang.IllegalArgumentException: no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := executorLine(folder); err == nil || !strings.HasSuffix(err.Error(), "Spark cannot build its executor: java.lang.IllegalArgumentException: no") {
		t.Errorf("error %v", err)
	}
}
