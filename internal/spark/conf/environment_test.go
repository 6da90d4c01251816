// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestMergeVariables: a variable of a typed field is not hidden by one that Spark would add behind it.
func TestMergeVariables(t *testing.T) {
	t.Parallel()
	fromSecret := v1alpha1.EnvVar{Name: "TOKEN", ValueFrom: &runtime.RawExtension{Raw: []byte(`{"secretKeyRef":{"name":"a","key":"b"}}`)}}
	for name, test := range map[string]struct {
		driver, executor []v1alpha1.EnvVar
		file             string
		sparkConf        map[string]string
		left             map[string]string
		want             []string
	}{
		"a file is below the field": {
			driver: []v1alpha1.EnvVar{{Name: "REGION", Value: "eu"}}, executor: []v1alpha1.EnvVar{fromSecret},
			file: "spark.kubernetes.driverEnv.REGION us\nspark.kubernetes.driverEnv.ZONE b\nspark.executorEnv.REGION us\n" +
				"spark.kubernetes.executor.secretKeyRef.TOKEN old:token\n",
			left: map[string]string{"spark.kubernetes.driverEnv.ZONE": "b", "spark.executorEnv.REGION": "us"},
		},
		"contradictions": {
			driver: []v1alpha1.EnvVar{{Name: "REGION", Value: "eu"}, {Name: "A", Value: "s:k"}}, executor: []v1alpha1.EnvVar{fromSecret},
			sparkConf: map[string]string{
				"spark.kubernetes.driverEnv.REGION": "us", "spark.kubernetes.driver.secretKeyRef.A": "s:k", "spark.executorEnv.TOKEN": "x",
			},
			left: map[string]string{"spark.kubernetes.driverEnv.REGION": "us", "spark.kubernetes.driver.secretKeyRef.A": "s:k", "spark.executorEnv.TOKEN": "x"},
			want: []string{
				"spec.driver.env[REGION]: the variable is already set by spec.sparkConf[spark.kubernetes.driverEnv.REGION], which would hide it; remove one",
				"spec.driver.env[A]: the variable is already set by spec.sparkConf[spark.kubernetes.driver.secretKeyRef.A], which would hide it; remove one",
				"spec.executor.env[TOKEN]: the variable is already set by spec.sparkConf[spark.executorEnv.TOKEN], which would hide it; remove one",
			},
		},
		"the same twice, and the other role's": {
			driver:    []v1alpha1.EnvVar{{Name: "REGION", Value: "eu"}, {Name: "HERE", Value: "1"}},
			sparkConf: map[string]string{"spark.kubernetes.driverEnv.REGION": "eu", "spark.executorEnv.HERE": "2"},
			left:      map[string]string{"spark.kubernetes.driverEnv.REGION": "eu", "spark.executorEnv.HERE": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			merged, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Driver.Env, spec.Executor.Env, spec.SparkConf = test.driver, test.executor, test.sparkConf
			}), Sources{ConfigMap: map[string]string{DefaultsFile: test.file}})
			delete(merged, AppName)
			var got []string
			for _, f := range findings {
				got = append(got, f.Field+": "+f.Message)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.left, valuesOf(merged)); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
		})
	}
}
