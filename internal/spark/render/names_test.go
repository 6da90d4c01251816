// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// named creates an application of that name and uid.
func named(name, uid string) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "jobs", UID: types.UID(uid)}}
}

func TestNamesOf(t *testing.T) {
	t.Parallel()
	app := named("pi", "5d9c1f9e-8b1e-4b52-9d0c-3f5a1b1f7a11")
	want := Names{
		Prefix:        "pi-bcg6z-2-3",
		ApplicationID: "spark-9101b1e5a9b1c852f43b337fb63d4884", // of sha256("<uid>/2/3")
		DriverPod:     "pi-bcg6z-2-3-driver",
		Service:       "pi-bcg6z-2-3-driver-svc",
		ConfigMap:     "pi-bcg6z-2-3-driver-conf-map",
		Secret:        "pi-bcg6z-2-3-driver-conf-secret",
		NetworkPolicy: "pi-bcg6z-2-3-policy",
	}
	if diff := cmp.Diff(want, NamesOf(app, 2, 3)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	app.Spec.Driver.PodName = "my-driver"
	want.DriverPod = "my-driver"
	if diff := cmp.Diff(want, NamesOf(app, 2, 3)); diff != "" {
		t.Errorf("names with a pod name (-want +got):\n%s", diff)
	}
}

// prefixForm is what every suffix makes a DNS label of.
var (
	prefixForm = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	idForm     = regexp.MustCompile(`^spark-[0-9a-f]{32}$`)
)

func TestNamesHaveTheirForm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "pi", "0", "2026-report", "a-b", strings.Repeat("a", 63), strings.Repeat("a-", 31) + "a", "9" + strings.Repeat("-", 61) + "9", ""} {
		for _, count := range []int64{1, 9, 10, 99_999, 123_456_789, math.MaxInt32} {
			for _, attempt := range []int64{1, 12, 99_999} {
				names := NamesOf(named(name, "uid"), count, attempt)
				if len(names.Prefix) > 52 || !prefixForm.MatchString(names.Prefix) {
					t.Errorf("prefix of %q run %d attempt %d = %q (%d characters)", name, count, attempt, names.Prefix, len(names.Prefix))
				}
				if end := fmt.Sprintf("-%d-%d", count, attempt); !strings.HasSuffix(names.Prefix, end) {
					t.Errorf("prefix %q does not end with %s", names.Prefix, end)
				}
				if len(names.Service) > 63 || !idForm.MatchString(names.ApplicationID) {
					t.Errorf("service %q, id %q", names.Service, names.ApplicationID)
				}
			}
		}
	}
}

func TestNamesTellAttemptsApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 40)
	seen := map[string]string{}
	for what, names := range map[string]Names{
		"the first attempt":                  NamesOf(named("pi", "one"), 1, 1),
		"the second attempt":                 NamesOf(named("pi", "one"), 1, 2),
		"the second run":                     NamesOf(named("pi", "one"), 2, 1),
		"run 1 attempt 12":                   NamesOf(named("pi", "one"), 1, 12),
		"run 11 attempt 2":                   NamesOf(named("pi", "one"), 11, 2),
		"an application that was made again": NamesOf(named("pi", "two"), 1, 1),
		"a long name":                        NamesOf(named(long+"-x", "three"), 1, 1),
		"one that differs beyond the cut":    NamesOf(named(long+"-y", "four"), 1, 1),
		"a name with a digit first":          NamesOf(named("1a", "five"), 1, 1),
		"its name with the letter before":    NamesOf(named("x1a", "six"), 1, 1),
	} {
		for _, name := range []string{names.Prefix, names.ApplicationID, names.DriverPod, names.Service, names.ConfigMap} {
			if other, taken := seen[name]; taken && other != what {
				t.Errorf("%s and %s share the name %s", what, other, name)
			}
			seen[name] = what
		}
	}
}

// The first rows are the assertions of Spark's own tests.
func TestAppNameLabel(t *testing.T) {
	t.Parallel()
	a := func(n int) string { return strings.Repeat("a", n) }
	for name, want := range map[string]string{
		" Job+Spark-Pi 2021":  "job-spark-pi-2021",
		a(64):                 a(63),
		"-hello-":             "hello",
		a(62) + "-aaa":        a(62),
		"-" + a(63):           a(62),
		"ETL Daily":           "etl-daily",
		"+++":                 "",
		"日次レポート v2":           "v2",
		"--nightly--":         "nightly",
		"2026-report":         "2026-report",
		" ETL (Zürich) A/B_t": "etl-z-rich-a-b-t",
		"":                    "",
	} {
		if got := appNameLabel(name); got != want {
			t.Errorf("appNameLabel(%q) = %q, want %q", name, got, want)
		}
	}
}
