// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// version returns a version of an application as the watch shows it.
func version(uid, resourceVersion string, generation int64) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "pi", UID: types.UID(uid), ResourceVersion: resourceVersion, Generation: generation,
	}}
}

func TestStale(t *testing.T) {
	m := New()
	if m.IsStale(version("a", "5", 1)) {
		t.Error("nothing is stale before a write")
	}
	m.Of(version("a", "9", 1)).Writes.StatusWritten("9", noon)
	for resourceVersion, want := range map[string]bool{"8": true, "9": false, "10": false, "100": false, "99999999999999999999999": false, "": false} {
		if got := m.IsStale(version("a", resourceVersion, 1)); got != want {
			t.Errorf("version %s after a write that gave 9: stale %t, want %t", resourceVersion, got, want)
		}
	}
	if m.IsStale(version("b", "3", 1)) {
		t.Error("another application of that name has versions of its own")
	}
	m.Observed(version("a", "4", 1))
	m.Observed(version("a", "", 1))
	if !m.IsStale(version("a", "8", 1)) {
		t.Error("an older version that is seen takes nothing back")
	}
	m.Forget(client.ObjectKeyFromObject(version("a", "9", 1)))
	if m.IsStale(version("a", "1", 1)) {
		t.Error("what is forgotten is not stale")
	}
}

// TestStaleWithoutFloor: for an application that was left out of a list of those that have not ended, the cache is
// behind if it has an older version that has not ended.
func TestStaleWithoutFloor(t *testing.T) {
	ended := func(a *v1alpha1.SparkApplication) { a.Status.Times.Finished = &metav1.Time{Time: noon} }
	tests := map[string]struct {
		version string
		change  func(*v1alpha1.SparkApplication)
		stale   bool
	}{
		"it waits in an older version": {"8", func(*v1alpha1.SparkApplication) {}, true},
		"it waits since then":          {"9", func(*v1alpha1.SparkApplication) {}, false},
		"it came later":                {"12", func(*v1alpha1.SparkApplication) {}, false},
		"it had ended before":          {"8", ended, false},
		"it held quota in an older version": {"8", func(a *v1alpha1.SparkApplication) {
			ended(a)
			a.Status.Grant = &v1alpha1.Grant{Run: 1}
		}, true},
		"what it says of its end cannot be read": {"8", func(a *v1alpha1.SparkApplication) { a.Status.Invalid = []string{"times"} }, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, app := New(), version("a", tc.version, 1)
			tc.change(app)
			if m.IsStale(app) {
				t.Error("nothing is stale before the list")
			}
			m.Observed(version("other", "7", 1))
			m.OthersEnded("9")
			if got := m.IsStale(app); got != tc.stale {
				t.Errorf("stale: %t, want %t", got, tc.stale)
			}
			m.Observed(version("a", tc.version, 1))
			if m.IsStale(app) {
				t.Error("what was in the list is as old as it may be")
			}
		})
	}
}

func TestSameTemplateIsRememberedForOneGenerationAndHash(t *testing.T) {
	var m Plans
	app := version("a", "1", 1)
	app.Spec.Image = "one"
	hash, err := templatehash.Of(&app.Spec)
	if err != nil {
		t.Fatal(err)
	}
	app.Status.TemplateHash = hash
	for range 2 {
		if !m.SameTemplate(app) {
			t.Error("want the same template")
		}
	}
	app.Spec.Image, app.Generation = "two", 2
	if m.SameTemplate(app) {
		t.Error("a new generation has another template")
	}
	app.Spec.Image, app.Generation = "one", 3
	if !m.SameTemplate(app) {
		t.Error("and back")
	}
	app.Status.TemplateHash = "v1:other"
	if m.SameTemplate(app) {
		t.Error("the status names another template")
	}
	app.Status.TemplateHash = ""
	if m.SameTemplate(app) {
		t.Error("no run yet")
	}
}

func TestPreparedHoldsForOneStart(t *testing.T) {
	var m Plans
	first := lifecycle.AttemptID{Run: 1, Attempt: 1}
	m.Prepare(&Prepared{Generation: 4, Attempt: first, Plan: lifecycle.Plan{Hash: "h"}})
	if m.Prepared(4, first) == nil {
		t.Error("want what was kept")
	}
	if m.Prepared(4, lifecycle.AttemptID{Run: 1, Attempt: 2}) != nil {
		t.Error("another attempt is another start")
	}
	if m.Prepared(5, first) != nil {
		t.Error("another generation may be another start")
	}
	m.Used()
	if m.Prepared(4, first) != nil {
		t.Error("nobody needs it once the driver is created")
	}
}

func TestDriverIsExpectedSinceItWasCreated(t *testing.T) {
	var m Writes
	first := lifecycle.AttemptID{Run: 1, Attempt: 1}
	m.Created(first, noon)
	if got := m.CreatedSince(first); !got.Equal(noon) {
		t.Errorf("created %s, want noon", got)
	}
	if got := m.CreatedSince(lifecycle.AttemptID{Run: 2, Attempt: 1}); !got.IsZero() {
		t.Errorf("another attempt was created %s", got)
	}
}

func TestEndIsSeenOnce(t *testing.T) {
	var m Sightings
	first, second := lifecycle.AttemptID{Run: 1, Attempt: 1}, lifecycle.AttemptID{Run: 1, Attempt: 2}
	if got := m.EndSince(first, noon); !got.Equal(noon) {
		t.Errorf("first seen %s, want now", got)
	}
	if got := m.EndSince(first, noon.Add(time.Minute)); !got.Equal(noon) {
		t.Errorf("seen again %s, want when it was first seen", got)
	}
	if got := m.EndSince(second, noon.Add(time.Minute)); !got.Equal(noon.Add(time.Minute)) {
		t.Errorf("the next attempt %s, want now", got)
	}
}

func TestPriorityOutlivesItsClass(t *testing.T) {
	t.Parallel()
	m, app := New(), version("first", "1", 1)
	for i, step := range []struct {
		current *int32
		want    int32
	}{{nil, 7}, {ptr.To[int32](100), 100}, {nil, 100}, {ptr.To[int32](-5), -5}, {nil, -5}} {
		if got := m.Of(app).Sightings.Priority(step.current, 7); got != step.want {
			t.Errorf("step %d: priority %d, want %d", i+1, got, step.want)
		}
	}
	if got := m.Of(version("second", "1", 1)).Sightings.Priority(nil, 3); got != 3 {
		t.Errorf("another application of the same name has priority %d, want the one that it was admitted with", got)
	}
}

// TestComparingRemembersNothing: versions of applications without a pass take no memory.
func TestComparingRemembersNothing(t *testing.T) {
	t.Parallel()
	m, app := New(), version("a", "4", 1)
	m.IsStale(app)
	m.Lost(client.ObjectKeyFromObject(app), "b", noon)
	if len(m.records) > 0 {
		t.Errorf("remembered %v", m.records)
	}
}
