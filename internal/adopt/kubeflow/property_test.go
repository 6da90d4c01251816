// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// spec is a spec of theirs, or a part of it.
type spec = map[string]any

// chance sets a field to one of some values in half of all cases.
func chance[T any](r *rand.Rand, s spec, field string, values ...T) {
	if r.IntN(2) == 0 {
		s[field] = values[r.IntN(len(values))]
	}
}

// randomRole returns a driver or an executor with fields that become properties.
func randomRole(r *rand.Rand) spec {
	s := spec{}
	chance(r, s, "image", "spark:a", "spark:b")
	chance(r, s, "cores", 1, 2)
	chance(r, s, "coreRequest", "100m", "1")
	chance(r, s, "coreLimit", "3", "4")
	chance(r, s, "memory", "1g", "2g")
	chance(r, s, "memoryOverhead", "512m", "1g")
	chance(r, s, "serviceAccount", "spark", "other")
	chance(r, s, "javaOptions", "-Da=b", "-Dc=d")
	chance(r, s, "labels", map[string]string{"team": "role"}, map[string]string{"role": "a"})
	chance(r, s, "annotations", map[string]string{"a": "role"}, map[string]string{"b": "c"})
	chance(r, s, "nodeSelector", map[string]string{"pool": "role"}, map[string]string{"disk": "ssd"})
	return s
}

// randomSpec returns a spec whose sparkConf often says other things than its fields.
func randomSpec(r *rand.Rand) spec {
	s := spec{
		"type": "Python", "sparkVersion": "4.1.4", "image": "spark:4", "mainApplicationFile": "local:///a.py", "driver": randomRole(r), "executor": randomRole(r),
		"restartPolicy": spec{"type": "Never"},
	}
	chance(r, s, "imagePullPolicy", "Always", "Never")
	chance(r, s, "imagePullSecrets", []string{"a"}, []string{"a", "b"})
	chance(r, s, "memoryOverheadFactor", "0.2", "0.3")
	chance(r, s, "hadoopConf", map[string]string{"fs.a": "field"})
	chance(r, s, "nodeSelector", map[string]string{"pool": "all", "zone": "a"})
	chance(r, s, "deps", spec{"jars": []string{"local:///a.jar"}, "files": []string{"local:///a"}}, spec{"packages": []string{"a:b:1"}})
	chance(r, s["executor"].(spec), "instances", 0, 1, 5)
	chance(r, s["executor"].(spec), "deleteOnTermination", true, false)
	if r.IntN(3) == 0 {
		d := spec{"enabled": r.IntN(3) > 0, "maxExecutors": 7}
		chance(r, d, "minExecutors", 1, 2)
		chance(r, d, "initialExecutors", 3)
		chance(r, d, "shuffleTrackingEnabled", true, false)
		chance(r, d, "shuffleTrackingTimeout", 60000)
		s["dynamicAllocation"] = d
	}
	properties := spec{}
	for key, value := range map[string]string{
		"spark.kubernetes.container.image.pullPolicy": "IfNotPresent", "spark.kubernetes.container.image.pullSecrets": "c",
		"spark.kubernetes.memoryOverheadFactor": "0.4", "spark.driver.cores": "3", "spark.executor.cores": "3", "spark.driver.memory": "3g",
		"spark.executor.memory": "3g", "spark.executor.instances": "6", "spark.hadoop.fs.a": "property", "spark.app.name": "other", "spark.jars": "local:///b.jar",
		"spark.kubernetes.driver.label.team": "property", "spark.kubernetes.executor.annotation.a": "property", "spark.dynamicAllocation.enabled": "true",
		"spark.dynamicAllocation.maxExecutors": "9", "spark.driver.extraJavaOptions": "-De=f", "spark.kubernetes.driver.pod.name": "named",
		"spark.kubernetes.authenticate.driver.serviceAccountName": "property", "spark.sql.a": "b", "spark.kubernetes.driver.request.cores": "2",
	} {
		if r.IntN(4) == 0 {
			properties[key] = value
		}
	}
	s["sparkConf"] = properties
	return s
}

// model are the properties with which their operator starts a job: the defaults of its webhook, then its arguments, of which the last one of a
// key wins, then its options. It was written from the description of their order, not from the translation.
type model map[string]string

func (m model) all(prefix string, values any) {
	for key, value := range values.(map[string]string) {
		m[prefix+key] = value
	}
}

// field sets a property if a field is set.
func (m model) field(s spec, field, key string) {
	if value, ok := s[field]; ok {
		m[key] = strings.Trim(strings.ReplaceAll(fmt.Sprint(value), " ", ","), "[]")
	}
}

// role sets the properties of a role.
func (m model) role(s spec, name string, labels map[string]string) {
	spark, kubernetes := "spark."+name+".", "spark.kubernetes."+name+"."
	for field, key := range map[string]string{
		"image": kubernetes + "container.image", "cores": spark + "cores", "coreRequest": kubernetes + "request.cores", "coreLimit": kubernetes + "limit.cores",
		"memory": spark + "memory", "memoryOverhead": spark + "memoryOverhead", "javaOptions": spark + "extraJavaOptions",
		"serviceAccount": "spark.kubernetes.authenticate." + name + ".serviceAccountName",
	} {
		m.field(s, field, key)
	}
	m.all(kubernetes+"label.", labels)
	for field, key := range map[string]string{"labels": "label.", "annotations": "annotation.", "nodeSelector": "node.selector."} {
		if s[field] != nil {
			m.all(kubernetes+key, s[field])
		}
	}
}

func (m model) deps(s spec) {
	if deps, ok := s["deps"].(spec); ok {
		m.field(deps, "jars", "spark.jars")
		m.field(deps, "files", "spark.files")
		m.field(deps, "packages", "spark.jars.packages")
	}
}

func modelOf(name string, s spec, labels map[string]string) model {
	m := model{}
	driver, executor, properties := s["driver"].(spec), s["executor"].(spec), s["sparkConf"].(spec)
	for _, field := range []string{"imagePullPolicy", "imagePullSecrets"} {
		m.field(s, field, "spark.kubernetes.container."+map[string]string{"imagePullPolicy": "image.pullPolicy", "imagePullSecrets": "image.pullSecrets"}[field])
	}
	m.field(s, "memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor")
	for key, value := range properties {
		m[key] = value.(string)
	}
	if s["hadoopConf"] != nil {
		m.all("spark.hadoop.", s["hadoopConf"])
	}
	dynamic, _ := s["dynamicAllocation"].(spec)
	on, _ := dynamic["enabled"].(bool)
	for role, part := range map[string]spec{"driver": driver, "executor": executor} {
		for field, value := range map[string]any{"cores": 1, "memory": "1g"} {
			if _, set := properties["spark."+role+"."+field]; !set && part[field] == nil {
				m["spark."+role+"."+field] = fmt.Sprint(value)
			}
		}
		if s["nodeSelector"] != nil {
			m.all("spark.kubernetes."+role+".node.selector.", s["nodeSelector"])
		}
		m["spark.kubernetes."+role+".container.image"] = s["image"].(string)
		m.role(part, role, labels)
	}
	if _, set := properties["spark.executor.instances"]; !set && !on {
		m["spark.executor.instances"] = "1"
	}
	m.field(executor, "instances", "spark.executor.instances")
	m.field(executor, "deleteOnTermination", "spark.kubernetes.executor.deleteOnTermination")
	if on {
		m["spark.dynamicAllocation.enabled"], m["spark.dynamicAllocation.shuffleTracking.enabled"] = "true", "true"
		for _, field := range []string{"minExecutors", "initialExecutors", "maxExecutors"} {
			m.field(dynamic, field, "spark.dynamicAllocation."+field)
		}
		m.field(dynamic, "shuffleTrackingEnabled", "spark.dynamicAllocation.shuffleTracking.enabled")
		if dynamic["shuffleTrackingTimeout"] != nil {
			m["spark.dynamicAllocation.shuffleTracking.timeout"] = "60s"
		}
	}
	m.deps(s)
	if m["spark.kubernetes.driver.pod.name"] == "" {
		m["spark.kubernetes.driver.pod.name"] = name + "-driver"
	}
	m["spark.app.name"] = name
	return m
}

// TestSamePropertiesAsThere: jobs start with the properties that their operator would start them with, whatever fields and sparkConf say.
func TestSamePropertiesAsThere(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"team": "object", "app": "etl"}
	compared := 0
	for seed := range uint64(1500) {
		s := randomSpec(rand.New(rand.NewPCG(seed, 0)))
		text, err := json.Marshal(spec{"apiVersion": apiVersion, "kind": "SparkApplication", "metadata": spec{"name": "pi", "namespace": "a", "labels": labels}, "spec": s})
		if err != nil {
			t.Fatal(err)
		}
		out := Translate(text, "")
		if len(out.Refusals) > 0 {
			continue
		}
		compared++
		app := out.Object.(*v1alpha1.SparkApplication)
		merged, findings := conf.Merge(app, conf.Sources{})
		if len(findings) > 0 {
			t.Fatalf("seed %d: %v", seed, findings)
		}
		want, got := modelOf("pi", s, labels), model{"spark.kubernetes.driver.pod.name": app.Spec.Driver.PodName}
		for _, p := range merged.Sorted() {
			got[p.Key] = p.Value
		}
		if diff := cmp.Diff(aligned(want), aligned(got)); diff != "" {
			t.Fatalf("seed %d: %s\nproperties (-there +here):\n%s", seed, text, diff)
		}
	}
	if compared < 700 {
		t.Errorf("only %d were accepted: the property is hardly tested", compared)
	}
}

// aligned leaves out what differs for a reason: each role has its image, ours derives what is not said, and what is not used does not count.
func aligned(m model) model {
	for _, role := range []string{"driver", "executor"} {
		key := "spark.kubernetes." + role + ".container.image"
		if m[key] == "" {
			m[key] = m["spark.kubernetes.container.image"]
		}
	}
	delete(m, "spark.kubernetes.container.image")
	const tracking = "spark.dynamicAllocation.shuffleTracking.enabled"
	if m["spark.dynamicAllocation.enabled"] == "true" && m[tracking] == "" {
		m[tracking] = "true" // Spark's default
	}
	return m
}
