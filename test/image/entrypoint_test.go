// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// entrypoint runs the entrypoint with a tini that prints one argument a line.
func entrypoint(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	data, err := sources.ReadFile("rootfs/entrypoint.sh")
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Replace(string(data), "/usr/bin/tini -s --", "printf '<%s>\\n'", 1)
	file := filepath.Join(t.TempDir(), "entrypoint.sh")
	if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", append([]string{file}, args...)...)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestEntrypoint(t *testing.T) {
	t.Parallel()
	const quick = "-XX:TieredStopAtLevel=1"
	executor := []string{
		"SPARK_HOME=/s", "SPARK_EXECUTOR_MEMORY=512m", "SPARK_DRIVER_URL=spark://d", "SPARK_EXECUTOR_ID=3", "SPARK_EXECUTOR_CORES=2",
		"SPARK_APPLICATION_ID=app", "SPARK_EXECUTOR_POD_IP=10.0.0.1", "SPARK_RESOURCE_PROFILE_ID=0", "SPARK_EXECUTOR_POD_NAME=pod",
	}
	backend := strings.Fields("-Xms512m -Xmx512m -cp CLASSPATH org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend" +
		" --driver-url spark://d --executor-id 3 --cores 2 --app-id app --hostname 10.0.0.1 --resourceProfileId 0 --podName pod")
	withClasspath := func(path string) []string {
		all := append([]string{}, backend...)
		all[3] = path
		return all
	}
	for name, test := range map[string]struct {
		env, args, want []string
	}{
		"driver": {
			env:  []string{"SPARK_HOME=/s", "SPARK_DRIVER_BIND_ADDRESS=10.0.0.2"},
			args: []string{"driver", "--class", "a.B", "local:///x y.jar", "1 2"},
			want: []string{
				"/s/bin/spark-submit", "--deploy-mode", "client", "--conf", "spark.driver.bindAddress=10.0.0.2",
				"--conf", "spark.executorEnv.SPARK_DRIVER_POD_IP=10.0.0.2", "--class", "a.B", "local:///x y.jar", "1 2",
			},
		},
		"executor": {
			env:  executor,
			args: []string{"executor"},
			want: append([]string{"java", quick}, withClasspath("/s/conf:/s/jars/*:/")...),
		},
		"executor with everything": {
			env: append([]string{
				"JAVA_HOME=/j", "SPARK_CONF_DIR=/c", "HADOOP_CONF_DIR=/h", "SPARK_CLASSPATH=/u", "SPARK_DIST_CLASSPATH=/d", "SPARK_EXTRA_CLASSPATH=/e",
				"SPARK_JAVA_OPT_0=-Da=b c", "SPARK_JAVA_OPT_1=-D'\"$HOME*", "SPARK_JAVA_OPT_2=", "SPARK_JAVA_OPT_3=2\n3", "SPARK_JAVA_OPT_5=after a gap",
			}, executor...),
			args: []string{"executor"},
			want: append([]string{"/j/bin/java", quick, "-Da=b c", "-D'\"$HOME*", "", "2\n3"}, withClasspath("/c:/h:/u:/s/jars/*:/e:/d:/")...),
		},
		"command":    {args: []string{"echo", "a b"}, want: []string{"echo", "a b"}},
		"no command": {want: []string{"bash"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := entrypoint(t, test.env, test.args...)
			want := "<" + strings.Join(test.want, ">\n<") + ">\n"
			if err != nil || got != want {
				t.Errorf("runs %v\n%s\nwant\n%s", err, got, want)
			}
		})
	}
	if out, err := entrypoint(t, nil, "driver"); err == nil || !strings.Contains(out, "SPARK_DRIVER_BIND_ADDRESS") {
		t.Errorf("driver outside a pod: %v, %s; want an error that names the variable", err, out)
	}
}
