// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package servers

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestSlowBeelineAsksAThriftServer: a client of JDBC gets answers at the name of the server, also after its driver was killed.
func TestSlowBeelineAsksAThriftServer(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), server("bi", s.Name, v1alpha1.ThriftServer, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Type = v1alpha1.ScalaApplication
		spec.SparkConf["spark.sparkgate.motto"] = "two  blanks for $5"
	}))
	driver := serves(s, "bi", env.First)
	for query, want := range map[string]string{
		"select 1 + 1": "2\n",
		"select sum(id) from range(0, 1000, 1, 4)": "499500\n",
		"set spark.sparkgate.motto":                "spark.sparkgate.motto,two  blanks for $5\n",
	} {
		if got := beeline(s, driver, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}

	s.Kubectl("delete", "pod", driver)
	driver = serves(s, "bi", env.Attempt{Run: 1, Attempt: 2})
	if got := beeline(s, driver, "select 1 + 1"); got != "2\n" {
		t.Errorf("after its driver was killed, the server says %q", got)
	}
	s.Kubectl("delete", "sgapp", "bi", "--timeout=5m")
	s.GivenBack(s.Name)
}

// beeline asks the server "bi" by its name, and returns what stands after the prompt. The jars of the client are in the image of the driver.
func beeline(s *env.Namespace, driver, query string) string {
	said := s.Kubectl("exec", driver, "-c", "spark-kubernetes-driver", "--", "/opt/spark/bin/spark-class", "org.apache.hive.beeline.BeeLine",
		"--silent=true", "--showHeader=false", "--outputformat=csv2", "-u", "jdbc:hive2://bi."+s.Name+":10000", "-e", query)
	_, answer, _ := strings.Cut(said, "> ")
	return answer
}
