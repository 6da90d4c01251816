// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// TestEnding: Over is called once no application is open. One that ended before it was deleted keeps its outcome,
// whether the deletion was seen or found by a list after an outage. One that had not ended counts as deleted.
func TestEnding(t *testing.T) {
	t.Parallel()
	over := 0
	e := &Ending{
		To: NewBoard(func(*status.Summary) bool { return true }), Over: func() { over++ },
		Judge: func(a *v1alpha1.SparkApplication) (Outcome, bool) { return Outcome(a.Status.Run), a.Namespace == "etl" },
	}
	app := func(name string, outcome Outcome) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{
			ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: name, UID: types.UID(name)}, Status: v1alpha1.SparkApplicationStatus{Run: int64(outcome)},
		}
	}
	other := app("other", Open)
	other.Namespace = "ads"
	e.Replace([]v1alpha1.SparkApplication{*app("a", Open), *app("b", Open), *app("c", Open), *other})
	e.Change(app("a", Succeeded), false)
	e.Change(app("a", Succeeded), true) // its time to live was over
	e.Change(app("b", Open), true)
	if over > 0 {
		t.Fatal("over while one is open")
	}
	e.Change(app("d", Failed), false)
	e.Replace([]v1alpha1.SparkApplication{*app("d", Failed)})
	if over == 0 || e.Seen() != 4 {
		t.Errorf("over %d times, %d seen", over, e.Seen())
	}
	for outcome, want := range map[Outcome][]string{Open: nil, Succeeded: {"etl/a"}, Failed: {"etl/d"}, Deleted: {"etl/b", "etl/c"}} {
		if got := e.Names(outcome); !slices.Equal(got, want) {
			t.Errorf("outcome %d: %q, want %q", outcome, got, want)
		}
	}
	over = 0
	if e.Change(app("d", Open), false); over > 0 || len(e.Names(Open)) != 1 {
		t.Error("over although one runs again")
	}
}
