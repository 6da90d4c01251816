// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	if names := properties(); len(names) < 1000 || !slices.IsSorted(names) {
		t.Fatalf("%d properties, sorted: %t", len(names), slices.IsSorted(names))
	}
	for key, want := range map[string]string{
		"spark.executor.memory":                                  "",
		"spark.executor.memmory":                                 "spark.executor.memory",
		"spark.executor.meomry":                                  "spark.executor.memory",
		"spark.executor.Memory":                                  "spark.executor.memory",
		"spark.sql.shuffle.partition":                            "spark.sql.shuffle.partitions",
		"spark.dynamicAllocation.enable":                         "spark.dynamicAllocation.enabled",
		"spark.kubernetes.driver.label.app":                      "",
		"spark.hadoop.fs.s3a.access.key":                         "",
		"spark.executorEnv.SPARK_LOCAL_DIRS":                     "",
		"spark.myjob.input":                                      "",
		"spark.kubernetes.driver.annotation":                     "",
		"executor.memory":                                        "",
		"spark.ui.jetty.stopTimeout":                             "",                                                         // 4.2; 4.1 had spark.ui.jettyStopTimeout
		"spark.kubernetes.driver.service.publishNotReadyAddress": "spark.kubernetes.driver.service.publishNotReadyAddresses", // 4.3
		"spark.kubernetes.executor.resizeIntervall":              "spark.kubernetes.executor.resizeInterval",                 // 4.2
		"spark.":  "",
		"spark.a": "",
	} {
		if got := meantProperty(key); got != want {
			t.Errorf("nearest to %s: %q, want %q", key, got, want)
		}
	}
}

// TestUnknown: below spark.kubernetes. nothing is for a library, but some names end as users choose.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"spark.kubernetes.tolerations":                                "Spark has no property spark.kubernetes.tolerations: remove it, or set a field of spec",
		"spark.kubernetes.driver.memoryOverhead":                      "Spark has no property spark.kubernetes.driver.memoryOverhead: did you mean spark.driver.memoryOverhead?",
		"spark.kubernetes.driver.label.app":                           "",
		"spark.kubernetes.executor.volumes.emptyDir.a.mount.path":     "",
		"spark.kubernetes.authenticate.driver.mounted.oauthTokenFile": "",
		"spark.kubernetes.driverEnv.A":                                "",
		"spark.kubernetes.node.selector.disk":                         "",
		"spark.kubernetes.driver.service.annotation.a":                "",
		"spark.kubernetes.executor.request.cores":                     "",
		"spark.myjob.kubernetes":                                      "",
	} {
		got := ""
		for _, f := range misspelled(map[string]string{key: "x"}) {
			got += f.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
