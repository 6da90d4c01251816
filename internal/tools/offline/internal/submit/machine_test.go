// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// propertiesFiles are those that the calls of TestMachine name.
var propertiesFiles = files{"p": "spark.y z\n", "q": "spark.y q\nspark.q q\n", "r": "spark.q r\nspark.c r\n"}

// TestMachine: what the variables and the conf folder of a machine say, and what wins over them.
func TestMachine(t *testing.T) {
	t.Parallel()
	folder := func(name string) map[string]string {
		return map[string]map[string]string{"/conf": {"spark-defaults.conf": "spark.driver.memory 1g\nspark.x y\n"}}[name]
	}
	for name, test := range map[string]struct {
		environment map[string]string
		args        []string
		program     string
		want        map[string]string
		err         string
	}{
		"nothing": {want: map[string]string{}},
		"defaults": {
			environment: map[string]string{"SPARK_CONF_DIR": "/conf"}, args: []string{"--conf", "spark.x=z"},
			want: map[string]string{"spark.driver.memory": "1g", "spark.x": "z"},
		},
		"defaults beside a file": {
			environment: map[string]string{"SPARK_CONF_DIR": "/conf"}, args: []string{"--properties-file", "p"}, want: map[string]string{"spark.y": "z"},
		},
		"defaults and a file": {
			environment: map[string]string{"SPARK_CONF_DIR": "/conf"}, args: []string{"--properties-file", "p", "--load-spark-defaults"},
			want: map[string]string{"spark.driver.memory": "1g", "spark.x": "y", "spark.y": "z"},
		},
		"several files": {
			args: []string{"--extra-properties-file", "q", "--properties-file", "p", "--extra-properties-file=r", "--conf", "spark.c=conf"},
			want: map[string]string{"spark.y": "q", "spark.q": "r", "spark.c": "conf"},
		},
		"defaults beside an extra file": {
			environment: map[string]string{"SPARK_CONF_DIR": "/conf"}, args: []string{"--extra-properties-file", "r"},
			want: map[string]string{"spark.driver.memory": "1g", "spark.x": "y", "spark.q": "r", "spark.c": "r"},
		},
		"sizes": {
			environment: map[string]string{"SPARK_DRIVER_MEMORY": "3g", "SPARK_EXECUTOR_CORES": "2", "SPARK_EXECUTOR_MEMORY": ""}, args: []string{"--driver-memory", "4g"},
			want: map[string]string{"spark.driver.memory": "4g", "spark.executor.cores": "2"},
		},
		"folders": {
			environment: map[string]string{"SPARK_LOCAL_DIRS": "/a"}, args: []string{"--conf", "spark.local.dir=/b"}, want: map[string]string{"spark.local.dir": "/a"},
		},
		"interpreters": {
			environment: map[string]string{"PYSPARK_PYTHON": "p", "PYSPARK_DRIVER_PYTHON": "d"}, program: "local:///a.py",
			want: map[string]string{"spark.pyspark.python": "p", "spark.pyspark.driver.python": "d"},
		},
		"interpreters beside a property": {
			environment: map[string]string{"PYSPARK_PYTHON": "p", "PYSPARK_DRIVER_PYTHON": "d"}, program: "local:///a.py",
			args: []string{"--conf", "spark.pyspark.python=x"}, want: map[string]string{"spark.pyspark.python": "x"},
		},
		"interpreters of no Python": {environment: map[string]string{"PYSPARK_PYTHON": "p"}, want: map[string]string{}},
		"Hadoop": {
			environment: map[string]string{"HADOOP_CONF_DIR": "/h"}, want: map[string]string{"spark.kubernetes.hadoop.configMapName": HadoopConfigMap},
		},
		"Hadoop twice": {
			environment: map[string]string{"HADOOP_CONF_DIR": "/h"}, args: []string{"--conf", "spark.kubernetes.hadoop.configMapName=x"},
			err: "exclude each other",
		},
		"another master": {environment: map[string]string{"MASTER": "yarn"}, want: map[string]string{"spark.master": "yarn"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := test.program
			if program == "" {
				program = "local:///a.jar"
			}
			called, err := parse(append(slices.Clone(test.args), program))
			if err != nil {
				t.Fatal(err)
			}
			got, err := called.properties(Input{ReadFile: propertiesFiles.read, Machine: &Machine{test.environment, folder}})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoMachine: without one, nothing of it counts.
func TestNoMachine(t *testing.T) {
	t.Parallel()
	called, err := parse([]string{"local:///a.py"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := called.properties(Input{}); err != nil || len(got) > 0 {
		t.Errorf("properties %v, error %v", got, err)
	}
}

// TestConfFiles: which files of the conf folder the driver gets.
func TestConfFiles(t *testing.T) {
	t.Parallel()
	folder := map[string]string{
		"log4j2.properties": "x", ".hidden": "x", "core-site.xml": "x", "a.tgz": "x", "empty": "",
		"spark.conf": "x", "spark-a.properties": "x", "spark-defaults.conf": "x", "a.template": "x", "a.gz": "x", "a.zip": "x", "a.jar": "x", "a.tar": "x", "binary": "\xff",
		"large": strings.Repeat("l", 100),
	}
	machine := &Machine{Environment: map[string]string{"SPARK_CONF_DIR": "/conf"}, Folder: func(string) map[string]string { return folder }}
	for _, test := range []struct {
		largest int
		want    string
	}{
		{1 << 20, ".hidden a.tgz core-site.xml empty large log4j2.properties"},
		{100, ".hidden a.tgz core-site.xml empty log4j2.properties"},
		{10, "empty"},
		{0, ""},
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(machine.ConfFiles(test.largest))), " "); got != test.want {
			t.Errorf("up to %d: %q, want %q", test.largest, got, test.want)
		}
	}
}

// TestMachineIsNotRead: what spark-submit would do by its machine is noted, and so are options that stand too late.
func TestMachineIsNotRead(t *testing.T) {
	t.Parallel()
	got, err := Translate(Input{
		Arguments: append(append([]string{}, image...), "local:///a.py", "--conf", "a=b", "--executor-memory=4g", "--name", "x"), Queue: "team", Gate: "Volcano",
		Variable: func(name string) string {
			return map[string]string{"SPARK_CONF_DIR": "/etc/spark", "PYSPARK_PYTHON": "python3.11"}[name]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if queue := got.Application.Spec.Queue; queue == nil || queue.Name != "team" || queue.Gate != "Volcano" {
		t.Errorf("queue: %v", queue)
	}
	var subjects []string
	for _, n := range got.Notes {
		subjects = append(subjects, n.Subject)
	}
	want := []string{"--conf", "--executor-memory", "SPARK_CONF_DIR", "PYSPARK_PYTHON", "--deploy-mode", "spec.podSecurity"}
	if diff := cmp.Diff(want, subjects); diff != "" {
		t.Errorf("notes about (-want +got):\n%s", diff)
	}
}
