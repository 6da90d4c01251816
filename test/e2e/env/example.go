// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// local replaces Apache's image, which examples name, by the one of the local cluster, and its programs by those there.
var local = strings.NewReplacer(
	"docker.io/apache/spark:4.1.4", Image,
	"/opt/spark/examples/src/main/python/", "/opt/spark/examples/",
	"/opt/spark/examples/jars/spark-examples.jar", "/opt/spark/examples/jars/sparkgate-examples.jar",
	"org.apache.spark.examples.", "io.sparkgate.examples.",
)

// ExampleText returns a file of the folder examples, for the image of the local cluster.
func ExampleText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(cluster.root, "examples", file))
	if err != nil {
		t.Fatal(err)
	}
	return local.Replace(string(text))
}

// Example reads an application of the folder examples, and adapts it to a small, busy node: requests, the amount of
// work, and how long executors try to reach their driver.
func Example(t *testing.T, file string) *v1alpha1.SparkApplication {
	t.Helper()
	app := &v1alpha1.SparkApplication{}
	if err := yaml.UnmarshalStrict([]byte(ExampleText(t, file)), app); err != nil {
		t.Fatal(err)
	}
	app.Spec.Arguments = []string{"20"}
	app.Spec.Driver.CoreRequest, app.Spec.Executor.CoreRequest = "200m", "200m"
	app.Spec.Driver.Memory, app.Spec.Executor.Memory = "512m", "512m"
	if app.Spec.Queue == nil {
		app.Spec.Queue = &v1alpha1.QueueReference{}
	}
	if app.Spec.SparkConf == nil {
		app.Spec.SparkConf = map[string]string{}
	}
	app.Spec.SparkConf["spark.kubernetes.driver.connectionTimeout"] = "60000"
	app.Spec.SparkConf["spark.kubernetes.driver.requestTimeout"] = "60000"
	return app
}

// RunningExecutors waits until an application has had so many running executors, even if some are gone by now.
func (s *Namespace) RunningExecutors(application string, n int) []Pod {
	s.t.Helper()
	var executors []Pod
	s.Await(fmt.Sprintf("%s to have %d running executors", application, n), func() error {
		executors = nil
		for _, pod := range s.Pods(application, v1alpha1.SparkRoleExecutor) {
			if pod.Status.Phase == corev1.PodRunning || pod.Gone {
				executors = append(executors, pod)
			}
		}
		if len(executors) < n {
			return fmt.Errorf("%d have run", len(executors))
		}
		return nil
	})
	return executors
}

// HistoryShows waits until the history server at a pod or Service, such as pods/history:18080, shows a completed run of a
// Spark application, and returns the version of Spark that it shows.
func (s *Namespace) HistoryShows(server, applicationID string) (sparkVersion string) {
	s.t.Helper()
	s.Await("the history server to show "+applicationID, func() error {
		answer, err := s.TryKubectl("", "get", "--raw", "/api/v1/namespaces/"+s.Name+"/"+server+"/proxy/api/v1/applications/"+applicationID)
		if err != nil {
			return err
		}
		var shown struct {
			ID       string `json:"id"`
			Attempts []struct {
				Completed       bool   `json:"completed"`
				AppSparkVersion string `json:"appSparkVersion"`
			} `json:"attempts"`
		}
		if err := json.Unmarshal([]byte(answer), &shown); err != nil {
			return err
		}
		if shown.ID != applicationID || len(shown.Attempts) != 1 || !shown.Attempts[0].Completed {
			return fmt.Errorf("it shows %s", answer)
		}
		sparkVersion = shown.Attempts[0].AppSparkVersion
		return nil
	})
	return sparkVersion
}
