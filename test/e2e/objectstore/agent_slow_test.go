// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package objectstore

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestSlowTheJMXExporterServesDriverAndExecutors: the agent runs in both roles, where the annotations of the pods say,
// with the rules of the operator.
func TestSlowTheJMXExporterServesDriverAndExecutors(t *testing.T) {
	t.Parallel()
	const jar = "/opt/jmx/jmx_prometheus_javaagent.jar"
	s := newNamespace(t)
	s.Apply(env.Pi("pi", s.Name, env.Sleep("600"), inImage(map[string]string{agentJar: jar}), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Monitoring = &v1alpha1.Monitoring{Prometheus: &v1alpha1.PrometheusMonitoring{JMXExporterJar: jar}}
	}))
	app := s.Reaches("pi", env.First, v1alpha1.RunningReason)
	executors := s.RunningExecutors("pi", 2)
	driver := s.Pods("pi", v1alpha1.SparkRoleDriver)[0]

	id := regexp.QuoteMeta(app.Status.Driver.ApplicationID)
	serves(t, s, driver, `(?m)^spark_driver_blockmanager_memory_maxmem_mb_value\{app_id="`+id+`",?\} `, `(?m)^jvm_memory_used_bytes\{`)
	for _, executor := range executors {
		number := executor.Labels["spark-exec-id"]
		serves(t, s, executor, `(?m)^spark_executor_executor_[a-z_]+\{app_id="`+id+`",executor_id="`+number+`",?\} `, `(?m)^jvm_memory_used_bytes\{`)
	}
	s.Kubectl("delete", "sgapp", "pi", "--timeout=10m")
	s.GivenBack(s.Name)
}

// serves waits until a pod serves metrics that match, where its annotations say.
func serves(t *testing.T, s *env.Namespace, pod env.Pod, patterns ...string) {
	t.Helper()
	a := pod.Annotations
	if a["prometheus.io/scrape"] != "true" {
		t.Fatalf("%s is not to be scraped: %v", pod.Name, a)
	}
	from := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:%s/proxy%s", s.Name, pod.Name, a["prometheus.io/port"], a["prometheus.io/path"])
	s.Await(pod.Name+" to serve its metrics", func() error {
		text, err := s.TryKubectl("", "get", "--raw", from)
		if err != nil {
			return err
		}
		for _, pattern := range patterns {
			if !regexp.MustCompile(pattern).MatchString(text) {
				return fmt.Errorf("no line matches %s in:\n%s", pattern, text)
			}
		}
		return nil
	})
}
