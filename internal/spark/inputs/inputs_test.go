// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
)

// example has every kind of input.
func example() Inputs {
	properties := conf.Properties{}
	properties.Set("spark.driver.memory", "512m", conf.Origin{Source: conf.TypedField, Field: "spec.driver.memory"})
	properties.Set("spark.hadoop.fs.s3a.secret.key", conf.Masked, conf.Origin{Source: conf.Secret})
	return Inputs{
		Template:   "v1:6ff0",
		Properties: properties,
		ConfigMap: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "conf", UID: "c0ffee", ResourceVersion: "7"},
			Data: map[string]string{"spark-defaults.conf": "spark.driver.memory 1g\n", "log4j2.properties": "rootLogger.level = warn\n"}},
		Settings: map[string]string{"annotation sparkgate.io/allowed-service-accounts": "spark"},
		Environment: podsets.Environment{
			LimitRanges: []corev1.LimitRange{ranged("a", "1Gi"), ranged("b", "2Gi")},
			RuntimeClasses: map[string]corev1.ResourceList{
				"gvisor": {corev1.ResourceMemory: resource.MustParse("64Mi")}, "kata": {corev1.ResourceMemory: resource.MustParse("128Mi")},
			},
		},
	}
}

func ranged(name, memory string) corev1.LimitRange {
	return corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "3"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}},
	}}}
}

func hash(t *testing.T, in Inputs) string {
	t.Helper()
	h, err := in.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// exampleHash stands in grants that other versions of the operator have written. Change it together with the rule only.
const exampleHash = "v1:02a475658a0a6626f34b01d9e1d0bfe2a2639f92dddeeb920cb04cd0b3a886c5"

func TestAnUpgradeAloneGivesNothingBack(t *testing.T) {
	t.Parallel()
	if got := hash(t, example()); got != exampleHash {
		t.Errorf("hash of the example is %s, want %s", got, exampleHash)
	}
}

func TestWhatAChangeMeans(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*Inputs)
		same   bool
	}{
		"nothing":           {func(*Inputs) {}, true},
		"the run template":  {func(i *Inputs) { i.Template = "v1:77" }, false},
		"a property":        {func(i *Inputs) { i.Properties.Put("spark.driver.memory", "1g") }, false},
		"one property more": {func(i *Inputs) { i.Properties.Put("spark.executor.cores", "2") }, false},
		"where a property was set": {func(i *Inputs) {
			i.Properties.Set("spark.driver.memory", "512m", conf.Origin{Source: conf.SparkConf})
		}, true},
		"a property that comes from a Secret now": {func(i *Inputs) { i.Properties.Put("spark.ssl.keyPassword", conf.Masked) }, false},
		"a file of the ConfigMap":                 {func(i *Inputs) { i.ConfigMap.Data["log4j2.properties"] = "" }, false},
		"another ConfigMap of that name":          {func(i *Inputs) { i.ConfigMap.UID = "decaf" }, false},
		"labels of the ConfigMap": {func(i *Inputs) {
			i.ConfigMap.ResourceVersion, i.ConfigMap.Labels = "8", map[string]string{"a": "b"}
		}, true},
		"no ConfigMap":                      {func(i *Inputs) { i.ConfigMap = nil }, false},
		"who may be used in the namespace":  {func(i *Inputs) { i.Settings["annotation sparkgate.io/allowed-service-accounts"] = "admin" }, false},
		"a LimitRange":                      {func(i *Inputs) { i.Environment.LimitRanges[0] = ranged("a", "8Gi") }, false},
		"a LimitRange less":                 {func(i *Inputs) { i.Environment.LimitRanges = i.Environment.LimitRanges[:1] }, false},
		"the order of LimitRanges":          {func(i *Inputs) { slices.Reverse(i.Environment.LimitRanges) }, true},
		"the same amount written otherwise": {func(i *Inputs) { i.Environment.LimitRanges[0] = ranged("a", "1024Mi") }, true},
		"the overhead of a RuntimeClass": {func(i *Inputs) {
			i.Environment.RuntimeClasses["kata"] = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
		}, false},
	} {
		in := example()
		tc.change(&in)
		if same := hash(t, in) == exampleHash; same != tc.same {
			t.Errorf("%s: the same hash: %t, want %t", name, same, tc.same)
		}
	}
}

// TestNothingRunsTogether: a text that moves from one input into another makes another hash.
func TestNothingRunsTogether(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for n, in := range []Inputs{
		{}, {Template: "a"}, {Template: "ab"}, {Settings: map[string]string{"a": "b"}}, {Settings: map[string]string{"a": "", "b": ""}},
		{ConfigMap: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: "a"}}}, {ConfigMap: &corev1.ConfigMap{Data: map[string]string{"a": "b"}}},
		{Properties: conf.Properties{"a": {Key: "a", Value: "b"}}}, {Properties: conf.Properties{"a": {Key: "a", Value: ",\"b\":\""}}},
		{Environment: podsets.Environment{LimitRanges: []corev1.LimitRange{ranged("a", "1Gi")}}},
	} {
		h := hash(t, in)
		if other, twice := seen[h]; twice {
			t.Errorf("inputs %d and %d have one hash", other, n)
		}
		if seen[h] = n; !strings.HasPrefix(h, rule+":") || len(h) != len(rule)+1+64 {
			t.Errorf("inputs %d: %q is no hash", n, h)
		}
	}
}

func TestSettingsOf(t *testing.T) {
	t.Parallel()
	namespace := &metav1.ObjectMeta{
		Labels:      map[string]string{v1alpha1.GuardedLabel: "true", "team": "a", "notsparkgate.io/x": "y"},
		Annotations: map[string]string{v1alpha1.AllowedServiceAccountsAnnotation: "spark", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
	}
	want := map[string]string{"label sparkgate.io/guarded": "true", "annotation sparkgate.io/allowed-service-accounts": "spark"}
	if diff := cmp.Diff(want, SettingsOf(namespace)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}
