// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestForbiddenAccounts: the namespace's list applies to every way to set a service account, and to setting none.
func TestForbiddenAccounts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		list     *string
		driver   corev1.PodSpec
		executor corev1.PodSpec
		property string
		want     []string
	}{
		"no list":                    {nil, corev1.PodSpec{ServiceAccountName: "admin"}, corev1.PodSpec{}, "root", nil},
		"in the list":                {text("spark, spark-ro"), named("spark"), named("spark-ro"), "spark", nil},
		"the driver's":               {text("spark"), named("admin"), named("spark"), "", []string{`"admin" of the driver`}},
		"executors inherit none":     {text("spark"), named("spark"), corev1.PodSpec{}, "", []string{`"default" of the executors, for which none is named`}},
		"none named":                 {text("spark"), corev1.PodSpec{}, corev1.PodSpec{}, "", []string{`"default" of the driver`}},
		"none named, which is fine":  {text("default"), corev1.PodSpec{}, corev1.PodSpec{}, "", nil},
		"nobody may run":             {text(""), corev1.PodSpec{}, corev1.PodSpec{}, "", []string{`"default" of the driver`}},
		"the executors' template":    {text("spark"), named("spark"), named("admin"), "", []string{`"admin" of spec.executor.template.spec.serviceAccountName`}},
		"the old name of that field": {text("spark"), named("spark"), corev1.PodSpec{DeprecatedServiceAccount: "admin"}, "", []string{`"admin" of spec.executor.template.spec.serviceAccount `}},
		"both names of that field":   {text("spark"), named("spark"), corev1.PodSpec{ServiceAccountName: "admin", DeprecatedServiceAccount: "admin"}, "", []string{`"admin" of spec.executor.template.spec.serviceAccountName`}},
		"the executors' property":    {text("spark"), named("spark"), corev1.PodSpec{}, "admin", []string{`"admin" of spec.sparkConf[`}},
		"the driver's old field":     {text("spark"), corev1.PodSpec{DeprecatedServiceAccount: "admin"}, named("spark"), "", []string{`"admin" of the driver`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := &metav1.ObjectMeta{Name: "team"}
			if tt.list != nil {
				namespace.Annotations = map[string]string{v1alpha1.AllowedServiceAccountsAnnotation: *tt.list}
			}
			objects := render.Objects{Pod: &corev1.Pod{Spec: tt.driver}, ExecutorTemplate: &corev1.Pod{Spec: tt.executor}}
			objects.Properties, _ = conf.Merge(&v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{SparkConf: properties(tt.property)}}, conf.Sources{})
			found := forbiddenAccounts(namespacepolicy.Of(namespace), accountsOf(objects))
			if len(found) != len(tt.want) {
				t.Fatalf("found %v, want %d", found, len(tt.want))
			}
			for i, f := range found {
				if f.Reason != v1alpha1.InvalidSpecReason || !strings.Contains(f.Message, tt.want[i]) || !strings.Contains(f.Message, "namespace team") {
					t.Errorf("finding %d is %s: %q, want InvalidSpec with %q and the namespace", i, f.Reason, f.Message, tt.want[i])
				}
			}
		})
	}
}

// resizing is a gate that resizes grants.
type resizing struct{ queueing.Gate }

func (resizing) Capabilities() queueing.Capabilities { return queueing.Capabilities{Resizes: true} }

// TestDriverWithoutExecutors needs no account for these, and no scheduling gate in a guarded namespace.
func TestDriverWithoutExecutors(t *testing.T) {
	t.Parallel()
	builder := Builder{Gates: reservation.Gates{"Embedded": resizing{}}}
	for master, want := range map[string]bool{"": true, "local[2]": false} {
		p := conf.Properties{}
		p.Put(conf.DriverMaster, master)
		accounts := accountsOf(render.Objects{Pod: &corev1.Pod{Spec: named("spark")}, ExecutorTemplate: &corev1.Pod{}, Properties: p})
		if len(accounts) > 1 != want {
			t.Errorf("%q: accounts %v", master, accounts)
		}
		if got := builder.schedulingGated(p, order{target: memory.Target{Gate: "Embedded", Guarded: true}}); got != want {
			t.Errorf("%q: gated %t, want %t", master, got, want)
		}
	}
}

func text(s string) *string { return &s }

func named(name string) corev1.PodSpec { return corev1.PodSpec{ServiceAccountName: name} }

func properties(executorAccount string) map[string]string {
	if executorAccount == "" {
		return nil
	}
	return map[string]string{conf.ExecutorServiceAccount: executorAccount}
}
