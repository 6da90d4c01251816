// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// application creates an application whose spec was edited.
func application(edit func(*v1alpha1.SparkApplicationSpec)) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "jobs"}}
	if edit != nil {
		edit(&app.Spec)
	}
	return app
}

// valuesOf returns the plain values.
func valuesOf(p Properties) map[string]string {
	values := map[string]string{}
	for key, property := range p {
		values[key] = property.Value
	}
	return values
}

func TestMergePrecedence(t *testing.T) {
	t.Parallel()
	const key = "spark.sql.shuffle.partitions"
	sources := Sources{
		Operator:  map[string]string{key: "operator", "spark.a": "operator"},
		Namespace: map[string]string{key: "namespace", "spark.b": "namespace"},
		ConfigMap: map[string]string{DefaultsFile: key + "=file\nspark.c=file\n"},
	}
	inConf := func(spec *v1alpha1.SparkApplicationSpec) { spec.SparkConf = map[string]string{key: "conf"} }
	for name, test := range map[string]struct {
		edit    func(*v1alpha1.SparkApplicationSpec)
		sources Sources
		want    Property
	}{
		"sparkConf wins over all files": {
			edit: inConf, sources: sources,
			want: Property{key, "conf", Origin{SparkConf, "spec.sparkConf[" + key + "]"}},
		},
		"the file wins over the namespace": {
			sources: sources,
			want:    Property{key, "file", Origin{ConfigMap, "spec.sparkConfigMap[" + key + "]"}},
		},
		"the namespace wins over the operator": {
			sources: Sources{Operator: sources.Operator, Namespace: sources.Namespace},
			want:    Property{key, "namespace", Origin{NamespaceDefaults, "defaults of the namespace[" + key + "]"}},
		},
		"the operator comes last": {
			sources: Sources{Operator: sources.Operator},
			want:    Property{key, "operator", Origin{OperatorDefaults, "defaults of the operator[" + key + "]"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, findings := Merge(application(test.edit), test.sources)
			if len(findings) > 0 {
				t.Errorf("findings: %v", findings)
			}
			if diff := cmp.Diff(test.want, got[key]); diff != "" {
				t.Errorf("property (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMergeKeepsWhatOnlyOneSourceHas(t *testing.T) {
	t.Parallel()
	got, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf = map[string]string{"spark.d": "4"}
		spec.Driver.Memory = "2g"
	}), Sources{
		Operator:  map[string]string{"spark.a": "1"},
		Namespace: map[string]string{"spark.b": "2"},
		ConfigMap: map[string]string{DefaultsFile: "spark.c 3\nother.program 5", "log4j2.properties": "spark.x=no"},
	})
	want := map[string]string{
		AppName: "pi", "spark.a": "1", "spark.b": "2", "spark.c": "3", "spark.d": "4", DriverMemory: "2g",
	}
	if diff := cmp.Diff(want, valuesOf(got)); diff != "" || len(findings) > 0 {
		t.Errorf("findings %v, values (-want +got):\n%s", findings, diff)
	}
}

func TestMergeTypedFieldsWin(t *testing.T) {
	t.Parallel()
	got, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) { spec.Driver.Memory = "2g" }),
		Sources{Operator: map[string]string{DriverMemory: "1g"}, ConfigMap: map[string]string{DefaultsFile: DriverMemory + "=3g"}})
	want := Property{DriverMemory, "2g", Origin{TypedField, "spec.driver.memory"}}
	if diff := cmp.Diff(want, got[DriverMemory]); diff != "" || len(findings) > 0 {
		t.Errorf("findings %v, property (-want +got):\n%s", findings, diff)
	}
}

func TestMergeAppName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conf map[string]string
		want string
	}{
		"the name of the application":         {nil, "pi"},
		"the name that the user wants to see": {map[string]string{AppName: "Pi, daily"}, "Pi, daily"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) { spec.SparkConf = test.conf }), Sources{})
			if got[AppName].Value != test.want {
				t.Errorf("name = %q, want %q", got[AppName].Value, test.want)
			}
		})
	}
}

func TestMergeFindsContradictions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit func(*v1alpha1.SparkApplicationSpec)
		want []Finding
	}{
		"equal values agree": {
			edit: func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Driver.Memory, spec.SparkConf = "2g", map[string]string{DriverMemory: "2g"}
			},
		},
		"different values": {
			edit: func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Driver.Memory, spec.SparkConf = "2g", map[string]string{DriverMemory: "4g"}
			},
			want: []Finding{{
				Field: "spec.driver.memory", Message: `value "2g" contradicts "4g" of spec.sparkConf[spark.driver.memory]; remove one`,
			}},
		},
		"a number": {
			edit: func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Executor.Instances, spec.SparkConf = ptr.To(int32(2)), map[string]string{ExecutorInstances: "3"}
			},
			want: []Finding{{
				Field: "spec.executor.instances", Message: `value "2" contradicts "3" of spec.sparkConf[spark.executor.instances]; remove one`,
			}},
		},
		"an entry of a map": {
			edit: func(spec *v1alpha1.SparkApplicationSpec) {
				spec.HadoopConf = map[string]string{"fs.s3a.endpoint": "a"}
				spec.SparkConf = map[string]string{"spark.hadoop.fs.s3a.endpoint": "b"}
			},
			want: []Finding{{
				Field:   "spec.hadoopConf[fs.s3a.endpoint]",
				Message: `value "a" contradicts "b" of spec.sparkConf[spark.hadoop.fs.s3a.endpoint]; remove one`,
			}},
		},
		"secrets are not shown": {
			edit: func(spec *v1alpha1.SparkApplicationSpec) {
				spec.HadoopConf = map[string]string{"fs.s3a.secret.key": "one"}
				spec.SparkConf = map[string]string{"spark.hadoop.fs.s3a.secret.key": "two"}
			},
			want: []Finding{{
				Field:   "spec.hadoopConf[fs.s3a.secret.key]",
				Message: `value (hidden) contradicts (hidden) of spec.sparkConf[spark.hadoop.fs.s3a.secret.key]; remove one`,
			}},
		},
		"a switch against its property": {
			edit: func(spec *v1alpha1.SparkApplicationSpec) {
				spec.DynamicAllocation = &v1alpha1.DynamicAllocation{}
				spec.SparkConf = map[string]string{DynamicAllocationEnabled: "true"}
			},
			want: []Finding{{
				Field:   "spec.dynamicAllocation.enabled",
				Message: `value "false" contradicts "true" of spec.sparkConf[spark.dynamicAllocation.enabled]; remove one`,
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got := Merge(application(test.edit), Sources{})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMergeRefusesOwnedKeys(t *testing.T) {
	t.Parallel()
	for key, remedy := range map[string]string{
		Master:               "drivers always use the cluster that they run in",
		DriverMaster:         "drivers always use the cluster that they run in",
		DeployMode:           "drivers always run in a pod",
		Namespace:            "the job runs in the namespace of the application",
		AppID:                "the id is derived from application, run and attempt",
		DriverPodName:        "set spec.driver.podName instead",
		DriverTemplateFile:   "set spec.driver.template instead",
		ExecutorTemplateFile: "set spec.executor.template instead",
		DriverHost:           "executors reach the driver by its Service",
		DriverBindAddress:    "the driver binds to the address of its pod",
		SubmitInDriver:       "remove it",
		ResourceType:         "set spec.type",
		"spark.kubernetes.driver.pod.featureSteps":                "set spec.driver.template instead",
		"spark.kubernetes.executor.pod.featureSteps":              "set spec.executor.template instead",
		"spark.kubernetes.authenticate.submission.oauthTokenFile": "the operator creates the driver itself",
		PodsAllocator:     "executors are created directly",
		"hadoop.fs.s3a":   "use a key that begins with spark.",
		"":                "use a key that begins with spark.",
		"SPARK.ui.port":   "use a key that begins with spark.",
		"sparkling.water": "use a key that begins with spark.",
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			got, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) {
				spec.SparkConf = map[string]string{key: "x"}
			}), Sources{})
			if len(findings) != 1 || findings[0].Field != "spec.sparkConf["+key+"]" || !strings.Contains(findings[0].Message, remedy) {
				t.Errorf("findings = %v, want one about spec.sparkConf[%s] with %q", findings, key, remedy)
			}
			if _, kept := got[key]; kept {
				t.Errorf("the refused key %q is among the properties", key)
			}
		})
	}
}

// TestLocalMaster: a driver without executors says in which way it runs its tasks, in Spark's words.
func TestLocalMaster(t *testing.T) {
	t.Parallel()
	for master, message := range map[string]string{
		"local": "", "local[4]": "", "local[*]": "", "local[4,2]": "", "local[*, 2]": "",
		"local[x]":               `value "local[x]" does not say how many threads`,
		"local[0]":               `value "local[0]" does not say how many threads`,
		"local[4":                `value "local[4" does not say how many threads`,
		"local[4]x":              `value "local[4]x" does not say how many threads`,
		"local-cluster[2,1,512]": `value "local-cluster[2,1,512]" does not say how many threads`,
		"k8s://x":                "only local[…] is allowed",
	} {
		got, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) {
			spec.SparkConf = map[string]string{DriverMaster: master, ExecutorInstances: "5"}
		}), Sources{})
		gang, err := got.Executors()
		switch {
		case message != "" && (len(findings) != 1 || !strings.Contains(findings[0].Message, message)):
			t.Errorf("%s: findings %v, want %s", master, findings, message)
		case message == "" && (len(findings) > 0 || err != nil || gang != Gang{}):
			t.Errorf("%s: findings %v, %+v, %v", master, findings, gang, err)
		}
	}
}

// TestVolcanoHasAGate: who comes with Spark's own step for Volcano is sent to the gate, not to a template.
func TestVolcanoHasAGate(t *testing.T) {
	t.Parallel()
	for key, value := range map[string]string{
		"spark.kubernetes.driver.pod.featureSteps":                "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
		"spark.kubernetes.executor.pod.featureSteps":              "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
		"spark.kubernetes.scheduler.volcano.podGroupTemplateFile": "/opt/group.yaml",
		"spark.kubernetes.scheduler.volcano.podGroupTemplateJson": "{}",
	} {
		_, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) { spec.SparkConf = map[string]string{key: value} }), Sources{})
		if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, ": remove it and set spec.queue.gate to Volcano, which creates a PodGroup in the queue of spec.queue.name") {
			t.Errorf("%s: findings %v, want one that names the gate", key, findings)
		}
	}
}

func TestMergeRefusesOwnedKeysOfEverySource(t *testing.T) {
	t.Parallel()
	values := map[string]string{Master: "local[*]"}
	_, findings := Merge(application(nil), Sources{
		Operator: values, Namespace: values, ConfigMap: map[string]string{DefaultsFile: "spark.master local[*]"},
	})
	var fields []string
	for _, finding := range findings {
		fields = append(fields, finding.Field)
	}
	want := []string{"defaults of the operator[spark.master]", "defaults of the namespace[spark.master]", "spec.sparkConfigMap[spark.master]"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestMergeTakesTheDirectAllocator(t *testing.T) {
	t.Parallel()
	got, findings := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf = map[string]string{PodsAllocator: "direct"}
	}), Sources{})
	if len(findings) > 0 || got[PodsAllocator].Value != "direct" {
		t.Errorf("findings %v, value %q", findings, got[PodsAllocator].Value)
	}
}

func TestShuffleTracking(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conf map[string]string
		want string
	}{
		"without dynamic allocation": {map[string]string{}, "-"},
		"switched on by the rule":    {map[string]string{DynamicAllocationEnabled: "true"}, "true"},
		"switched off by the user":   {map[string]string{DynamicAllocationEnabled: "true", ShuffleTrackingEnabled: "false"}, "false"},
		"executors hand their data over": {
			map[string]string{DynamicAllocationEnabled: "true", DecommissionEnabled: "true"}, "-",
		},
		"executors go without handing over": {
			map[string]string{DynamicAllocationEnabled: "true", DecommissionEnabled: "true", DecommissionShuffleBlocks: "false"}, "true",
		},
		"switched off": {map[string]string{DynamicAllocationEnabled: "false"}, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) { spec.SparkConf = test.conf }), Sources{})
			if value := got.Get(ShuffleTrackingEnabled, "-"); value != test.want {
				t.Errorf("shuffle tracking = %q, want %q", value, test.want)
			}
		})
	}
}

func TestShuffleTrackingOfTheTypedField(t *testing.T) {
	t.Parallel()
	got, _ := Merge(application(func(spec *v1alpha1.SparkApplicationSpec) {
		spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, ShuffleTrackingTimeout: &metav1.Duration{Duration: 90 * time.Minute}}
	}), Sources{})
	want := map[string]string{AppName: "pi", DynamicAllocationEnabled: "true", ShuffleTrackingEnabled: "true", ShuffleTrackingTimeout: "5400s"}
	if diff := cmp.Diff(want, valuesOf(got)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}
