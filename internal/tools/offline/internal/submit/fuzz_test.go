// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// moved are properties that stand elsewhere in an application, or that the command sets itself here.
var moved = []string{
	conf.Namespace, conf.DriverPodName, conf.Master, conf.DeployMode, conf.AppID, waitForEnd, conf.DriverTemplateFile, conf.ExecutorTemplateFile, conf.Image,
}

// FuzzConf: a property of a call is a property of its application, to the letter, or a note mentions it.
func FuzzConf(f *testing.F) {
	for _, seed := range [][2]string{
		{"spark.driver.memory", " 2g"}, {"spark.executor.cores", "04"}, {"spark.jars", "a,,b"}, {"spark.kubernetes.driver.label.a b", ""},
		{"spark.hadoop.x", "y=z"}, {"spark.dynamicAllocation.enabled", "TRUE"}, {"spark.kubernetes.memoryOverheadFactor", "1e-1"},
		{"spark.dynamicAllocation.shuffleTracking.timeout", "1.5s"}, {"spark.app.name", ""}, {"spark.", "x"}, {"foo", "bar"}, {"spark.my.password", "x"},
		{"spark.kubernetes.executor.deleteOnTermination", "T"}, {"spark.executor.instances", "+2"}, {"spark.driver.extraJavaOptions", "-Da=\n"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		if strings.Contains(key, "=") || slices.Contains(moved, key) {
			return
		}
		args := append(slices.Clone(image), "--conf", key+"="+value, "local:///a.py")
		got, err := Translate(Input{Arguments: args, SparkVersion: "4.1.4", ReadFile: files{}.read})
		if err != nil || slices.ContainsFunc(got.Notes, func(n Note) bool { return n.Subject == key }) {
			return
		}
		properties, _ := conf.Merge(got.Application, conf.Sources{})
		if got, ok := properties.Lookup(key); !ok || got != value {
			t.Errorf("%q=%q became %q (%t)", key, value, got, ok)
		}
	})
}
