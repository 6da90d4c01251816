// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUnpack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	archive := filepath.Join(folder, "p.tar.gz")
	file, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	zipped := gzip.NewWriter(file)
	writer := tar.NewWriter(zipped)
	for _, name := range []string{
		"pyspark-4.1.4/deps/bin/spark-submit", "pyspark-4.1.4/deps/jars/spark-kubernetes_2.13-4.1.4.jar",
		"pyspark-4.1.4/deps/examples/pi.py", "pyspark-4.1.4/setup.py", "pyspark-4.1.4/deps/bin/../../../../escaped",
	} {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1, Mode: 0o755}
		if err := writer.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, close := range []func() error{writer.Close, zipped.Close, file.Close} {
		if err := close(); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(folder, "home")
	if err := unpack(archive, home); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = filepath.WalkDir(home, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			got = append(got, strings.TrimPrefix(path, home))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/bin/spark-submit", "/jars/spark-kubernetes_2.13-4.1.4.jar"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got := homeIn(home, "4.1.4"); got != home {
		t.Errorf("home %q, want %q", got, home)
	}
	if got := homeIn(home, "4.1.3"); got != "" {
		t.Errorf("home of another version is %q", got)
	}
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	submitter := &Submitter{Spark: &Spark{Version: "4.1.4", Home: "/spark", Cache: t.TempDir()}, Archive: "/none.jsa", Now: time.Now}
	tests := map[string]struct {
		c     Case
		files map[string]string
		conf  string
	}{
		"nothing": {files: map[string]string{}, conf: filepath.Join(submitter.Spark.Cache, "empty-conf")},
		"templates and files": {
			c: Case{
				DriverTemplate: map[string]any{"spec": map[string]any{"hostNetwork": true}},
				Files:          map[string]string{"a/b.txt": "x"},
				ConfFiles:      map[string]string{"c.txt": "y"},
			},
			files: map[string]string{
				"driver-template.yaml": "apiVersion: v1\nkind: Pod\nspec:\n  hostNetwork: true\n",
				"a/b.txt":              "x",
				"conf/c.txt":           "y",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			conf, err := submitter.prepare(test.c, folder)
			if err != nil {
				t.Fatal(err)
			}
			if test.conf == "" {
				test.conf = filepath.Join(folder, "conf")
			}
			if conf != test.conf {
				t.Errorf("conf folder %q, want %q", conf, test.conf)
			}
			for file, want := range test.files {
				got, err := os.ReadFile(filepath.Join(folder, file))
				if err != nil || string(got) != want {
					t.Errorf("%s: %q, error %v, want %q", file, got, err, want)
				}
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PATH", "/bin")
	t.Setenv("JAVA_HOME", "")
	t.Setenv("SPARK_LOCAL_DIRS", "/mine")
	submitter := &Submitter{Spark: &Spark{Home: "/spark"}, Archive: "/none.jsa"}
	got := submitter.environment(Case{Env: map[string]string{"SPARK_USER": "alice"}}, "/conf", "/work")
	want := []string{
		"HADOOP_USER_NAME=spark", "HOME=/work", "KUBECONFIG=/nonexistent", "LANG=C.UTF-8", "PATH=/bin",
		"SPARK_CONF_DIR=/conf", "SPARK_HOME=/spark", "SPARK_LOCAL_HOSTNAME=localhost", "SPARK_LOCAL_IP=127.0.0.1",
		"SPARK_SUBMIT_OPTS=-Djava.properties.date=DATE -Duser.home=/work -XX:TieredStopAtLevel=1 -Xshare:auto -XX:ArchiveClassesAtExit=/none.jsa",
		"SPARK_USER=alice",
	}
	if diff := cmp.Diff(want, slices.Clone(got)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
