// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// app returns an application that was created some minutes before noon. An empty stage stands for one that the operator
// has not observed yet.
func app(name, stage string, minutes int) v1alpha1.SparkApplication {
	a := v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "etl", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(noon.Add(-time.Duration(minutes) * time.Minute)),
	}}
	if stage != "" {
		a.Status.Run, a.Status.Attempt = 1, 1
		a.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: stage, Message: "as " + name + " says"}}
	}
	return a
}

func all(*status.Summary) bool { return true }

// frame returns the layout of a terminal without colors.
func frame(width, height int) Frame {
	return Frame{Title: "SparkApplications", Width: width, Height: height, Clean: func(text string) string { return text }}
}

func lines(f Frame, b *Board) string { return strings.Join(f.Lines(b.View(noon)), "\n") }

// TestTable: applications that have not ended come first, deleted ones are left out, and the table is cut to the size
// of the terminal.
func TestTable(t *testing.T) {
	t.Parallel()
	board := NewBoard(all)
	if got := lines(frame(80, 24), board); got != "SparkApplications: none  12:00:00" {
		t.Errorf("an empty board: %s", got)
	}
	board.Replace([]v1alpha1.SparkApplication{app("done", "Succeeded", 9), app("old", "Running", 8), app("gone", "Running", 7), app("new", "Queued", 1)})
	gone := app("gone", "Running", 7)
	board.Change(&gone, true)
	want := `SparkApplications: 3 (1 Queued, 1 Running, 1 Succeeded)  12:00:00

NAME   QUEUE   STAGE       EXECUTORS   AGE    DURATION   MESSAGE
new            Queued                  60s               as new says
old            Running                 8m               as old says
done           Succeeded               9m               as done says`
	if got := lines(frame(80, 24), board); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	low := frame(80, 5).Lines(board.View(noon))
	if len(low) != 5 || low[4] != "and 2 more, which do not fit" {
		t.Errorf("in five lines: %q", low)
	}
}

// TestTrouble: an operator that does not observe applications, and a cluster that does not answer, are reported above
// the table.
func TestTrouble(t *testing.T) {
	t.Parallel()
	board := NewBoard(all)
	board.Replace([]v1alpha1.SparkApplication{app("early", "", 1), app("late", "", 0)})
	if got := lines(frame(80, 24), board); !strings.Contains(got, "The operator has not looked at 1 of them: is it running?") {
		t.Errorf("no operator: %s", got)
	}
	board.Lost(errors.New("the cluster does not answer"))
	if got := lines(frame(80, 24), board); !strings.Contains(got, "What follows may be outdated: the cluster does not answer") {
		t.Errorf("no cluster: %s", got)
	}
	board.Replace([]v1alpha1.SparkApplication{app("late", "Failed", 0)})
	colored := frame(80, 24)
	colored.Color = true
	if got := lines(colored, board); strings.Contains(got, "outdated") || !strings.Contains(got, "\x1b[31mlate") || !strings.HasSuffix(got, "\x1b[0m") {
		t.Errorf("it answers again: %q", got)
	}
}

// TestChangesOfAStage: an application that leaves the selected stages and returns gets a line again.
func TestChangesOfAStage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &Changes{Out: &out, Notes: &out, Wants: func(s *status.Summary) bool { return s.Stage == "Queued" }, Clock: clocktesting.NewFakePassiveClock(noon)}
	queued, suspended := app("pi", "Queued", 1), app("pi", "Suspended", 1)
	c.Replace([]v1alpha1.SparkApplication{queued})
	for _, is := range []*v1alpha1.SparkApplication{&suspended, &queued, &queued} {
		c.Change(is, false)
	}
	c.Replace([]v1alpha1.SparkApplication{suspended})
	if n := strings.Count(out.String(), "\n"); n != 2 || strings.Contains(out.String(), "deleted") {
		t.Errorf("%d lines, want 2:\n%s", n, out.String())
	}
}

// TestChanges: each relevant change gets a line, and a state with the same text as the last one does not.
func TestChanges(t *testing.T) {
	t.Parallel()
	var out, notes bytes.Buffer
	c := &Changes{Out: &out, Notes: &notes, Wants: func(s *status.Summary) bool { return s.Name != "other" }, Clock: clocktesting.NewFakePassiveClock(noon)}
	other, queued, running := app("other", "Queued", 1), app("pi", "Queued", 1), app("pi", "Running", 1)
	c.Replace([]v1alpha1.SparkApplication{queued, other, app("quick", "Succeeded", 1)})
	c.Change(&queued, false)
	c.Lost(errors.New("no answer"))
	c.Lost(errors.New("no answer"))
	c.Replace([]v1alpha1.SparkApplication{queued, other})
	c.Change(&running, false)
	c.Change(&running, true)
	want := []string{
		"2026-03-01T12:00:00Z etl/pi run 1 attempt 1 Queued: as pi says",
		"2026-03-01T12:00:00Z etl/quick run 1 attempt 1 Succeeded: as quick says",
		"2026-03-01T12:00:00Z etl/quick deleted",
		"2026-03-01T12:00:00Z etl/pi run 1 attempt 1 Running: as pi says",
		"2026-03-01T12:00:00Z etl/pi deleted",
	}
	if got := strings.Split(strings.TrimSpace(out.String()), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), strings.Join(want, "\n"))
	}
	if notes.String() != "no answer; trying again\n" {
		t.Errorf("notes: %q", notes.String())
	}
}
