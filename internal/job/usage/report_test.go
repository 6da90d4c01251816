// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(hour int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(hour) * time.Hour)) }

// end is how an attempt ended.
type end struct {
	outcome v1alpha1.AttemptOutcome
	reason  string
}

var succeeded, failed = end{v1alpha1.OutcomeSucceeded, ""}, end{v1alpha1.OutcomeFailed, "Error"}

// ended returns an attempt that held cores and as many GiB from one hour to another.
func ended(attempt int64, how end, hours [2]int, cores int64) v1alpha1.AttemptStatus {
	until, seconds, outcome, reason := at(hours[1]), int64(hours[1]-hours[0])*3600, how.outcome, how.reason
	return v1alpha1.AttemptStatus{Run: 1, Attempt: attempt, Outcome: outcome, Reason: reason, FinishedAt: &until, Usage: &v1alpha1.AttemptUsage{
		Queue: "team-a", Since: at(hours[0]),
		Granted:   v1alpha1.ResourceSeconds{MilliCPUSeconds: cores * 1000 * seconds, MemoryMiBSeconds: cores * 1024 * seconds},
		Requested: v1alpha1.ResourceSeconds{MilliCPUSeconds: cores * 500 * seconds},
	}}
}

func application(name string, attempts ...v1alpha1.AttemptStatus) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: name, Labels: map[string]string{"team": name}},
		Status:     v1alpha1.SparkApplicationStatus{Attempts: attempts},
	}
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	app := application("pi",
		ended(1, failed, [2]int{0, 1}, 4),
		ended(2, end{v1alpha1.OutcomeStopped, "Preempted"}, [2]int{1, 2}, 4),
		ended(3, end{v1alpha1.OutcomeStopped, "Suspended"}, [2]int{2, 3}, 4),
		ended(4, succeeded, [2]int{3, 5}, 4),
		v1alpha1.AttemptStatus{Run: 1, Attempt: 5, Outcome: v1alpha1.OutcomeFailed}, // held nothing
	)
	price := 2.0
	report := Summarize(RecordsOf(app, noon), Window{noon, at(24).Time}, ByQueue, &Prices{Currency: "EUR", Default: Price{CoreHour: &price}})
	cost, wasted := 40.0, 16.0
	want := Row{Key: "team-a", Attempts: 4, Granted: Amounts{CPU: 20, Memory: 20}, Requested: Amounts{CPU: 10},
		Failed: Amounts{CPU: 4, Memory: 4}, Preempted: Amounts{CPU: 4, Memory: 4}, Stopped: Amounts{CPU: 4, Memory: 4}, Cost: &cost, WastedCost: &wasted}
	if diff := cmp.Diff([]Row{want}, report.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	want.Key = "total"
	if diff := cmp.Diff(want, report.Total); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
	if waste := report.Total.Wasted(); waste.CPU != 8 {
		t.Errorf("wasted: %+v", waste)
	}
}

// TestWindow: an attempt that reaches beyond the window counts in proportion.
func TestWindow(t *testing.T) {
	t.Parallel()
	app := application("pi", ended(1, succeeded, [2]int{0, 4}, 1))
	for name, tc := range map[string]struct {
		from, until int
		want        float64
		attempts    int
	}{
		"all of it":     {-1, 9, 4, 1},
		"its end":       {3, 9, 1, 1},
		"its beginning": {-5, 1, 1, 1},
		"its middle":    {1, 3, 2, 1},
		"before it":     {-9, -5, 0, 0},
		"after it":      {5, 9, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := Summarize(RecordsOf(app, noon), Window{at(tc.from).Time, at(tc.until).Time}, ByApplication, nil)
			if report.Total.Granted.CPU != tc.want || report.Total.Attempts != tc.attempts || report.Total.Cost != nil {
				t.Errorf("got %+v, want %v core-hours", report.Total, tc.want)
			}
		})
	}
}

// TestCurrentAttempt: what is written, and since then what it held and requested at that time.
func TestCurrentAttempt(t *testing.T) {
	t.Parallel()
	admitted := at(0)
	app := application("stream")
	app.Status.Queue, app.Status.Times.Admitted = "team-b", &admitted
	app.Status.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, PodSets: []v1alpha1.PodSetGrant{
		{Name: "driver", Count: 1, Requests: map[corev1Name]quantity{"cpu": parse("1"), "memory": parse("1Gi"), "nvidia.com/gpu": parse("2"), "example.org/fpga": parse("9")}},
		{Name: "executor", Count: 3, Requests: map[corev1Name]quantity{"cpu": parse("500m"), "memory": parse("-1Gi")}},
	}}
	app.Status.Usage = &v1alpha1.Usage{At: metav1.NewMicroTime(at(1).Time), Granted: v1alpha1.ResourceSeconds{MilliCPUSeconds: 3600_000},
		Requested: v1alpha1.ResourceSeconds{MilliCPUSeconds: 1800_000}, Requesting: v1alpha1.ResourceSeconds{MilliCPUSeconds: 500}}
	got := RecordsOf(app, at(3).Time)
	want := []Record{{Namespace: "etl", Application: "stream", Queue: "team-b", Labels: app.Labels, Run: 1, Attempt: 1, Outcome: Running, From: noon, Until: at(3).Time,
		Granted: Amounts{CPU: 3600 + 2.5*7200, Memory: 7200, GPU: 2 * 7200}, Requested: Amounts{CPU: 1800 + 3600}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if early := RecordsOf(app, at(-9).Time); early[0].Granted.CPU != 3600 || early[0].Until != noon {
		t.Errorf("a reader whose clock is slow: %+v", early)
	}
}

// TestPartitions: by whatever key, the rows add up to the total, and the total is the sum over all attempts.
func TestPartitions(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 100, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		outcomes := []Outcome{Succeeded, Failed, Preempted, Stopped, Running}
		var records []Record
		var want float64
		for range random.IntN(50) {
			from := noon.Add(time.Duration(random.IntN(100)) * time.Hour)
			r := Record{Namespace: fmt.Sprint(random.IntN(3)), Application: fmt.Sprint(random.IntN(3)), Queue: fmt.Sprint(random.IntN(3)),
				Labels: map[string]string{"team": fmt.Sprint(random.IntN(3))}, Outcome: outcomes[random.IntN(len(outcomes))],
				From: from, Until: from.Add(time.Duration(random.IntN(100)) * time.Hour), Granted: Amounts{random.Float64() * 1e9, random.Float64(), 1}}
			records = append(records, r)
			want += r.Granted.CPU / 3600
		}
		for name, key := range map[string]Key{"queue": ByQueue, "namespace": ByNamespace, "application": ByApplication, "label": ByLabel("team"), "no label": ByLabel("none")} {
			report := Summarize(records, Window{noon, noon.Add(1000 * time.Hour)}, key, nil)
			var sum, parts Amounts
			for _, row := range report.Rows {
				sum, parts = sum.Plus(row.Granted), parts.Plus(row.Failed).Plus(row.Preempted).Plus(row.Stopped)
			}
			if math.Abs(sum.CPU-want) > 1e-6*want || math.Abs(report.Total.Granted.CPU-want) > 1e-6*want || parts.CPU > sum.CPU*(1+1e-9) {
				t.Errorf("by %s: rows %v, total %v, want %v", name, sum.CPU, report.Total.Granted.CPU, want)
			}
		}
		// Windows that follow each other also add up.
		var sum float64
		for hour := range 10 {
			w := Window{noon.Add(time.Duration(hour*20) * time.Hour), noon.Add(time.Duration(hour*20+20) * time.Hour)}
			for _, r := range records {
				if part, inside := w.clip(r); inside && r.Until.After(r.From) {
					sum += part.Granted.CPU / 3600
				}
			}
		}
		for _, r := range records {
			if !r.Until.After(r.From) {
				sum += r.Granted.CPU / 3600
			}
		}
		if math.Abs(sum-want) > 1e-6*want {
			t.Errorf("over windows: %v, want %v", sum, want)
		}
	})
}

func TestHistoryCut(t *testing.T) {
	t.Parallel()
	var attempts []v1alpha1.AttemptStatus
	for n := range v1alpha1.AttemptsKept {
		attempts = append(attempts, ended(int64(n+1), failed, [2]int{n, n + 1}, 1))
	}
	whole, cut := application("whole", attempts...), application("cut", append(attempts[1:], ended(v1alpha1.AttemptsKept+1, failed, [2]int{11, 12}, 1))...)
	w := Window{noon, at(24).Time}
	if w.HistoryCut(whole) || !w.HistoryCut(cut) || (Window{at(2).Time, at(24).Time}).HistoryCut(cut) || w.HistoryCut(application("new")) {
		t.Error("only the application that has lost attempts of the window is cut")
	}
	refused := cut.DeepCopy()
	refused.Status.Attempts[0].Usage = nil // it was never admitted
	if !w.HistoryCut(refused) || (Window{at(3).Time, at(24).Time}).HistoryCut(refused) {
		t.Error("an oldest attempt that was granted nothing hides those before it")
	}
}

// TestChargedTo: of a queue that is asked for there are only the attempts that it was charged, and it lacks none of an application that has
// nothing to do with it.
func TestChargedTo(t *testing.T) {
	t.Parallel()
	var attempts []v1alpha1.AttemptStatus
	for n := range v1alpha1.AttemptsKept {
		attempts = append(attempts, ended(int64(n+2), failed, [2]int{n, n + 1}, 1))
	}
	attempts[v1alpha1.AttemptsKept-1].Usage.Queue = "team-b"
	app := application("pi", attempts...)
	app.Status.Queue = "team-c"
	w := Window{noon.Add(-time.Hour), at(24).Time}
	for queue, want := range map[string]struct {
		records int
		cut     bool
	}{"": {10, true}, "team-a": {9, true}, "team-b": {1, true}, "team-c": {0, true}, "team-d": {0, false}} {
		if records, cut := w.ChargedTo(queue, app, noon); len(records) != want.records || cut != want.cut {
			t.Errorf("queue %q: %d attempts, some are missing: %t", queue, len(records), cut)
		}
	}
}

// TestQueueOf: a queue of another system is not charged to the SparkQueue of that name.
func TestQueueOf(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]v1alpha1.SparkApplicationStatus{
		"team-a":          {Queue: "team-b", Grant: &v1alpha1.Grant{Gate: v1alpha1.GateEmbedded, Queue: "team-a"}},
		"team-b":          {Queue: "team-b", Grant: &v1alpha1.Grant{}},
		"team-c":          {Queue: "team-c"},
		"Kueue/team-a":    {Grant: &v1alpha1.Grant{Gate: v1alpha1.GateKueue, Queue: "team-a"}},
		"YuniKorn/team-a": {Queue: "team-a", Grant: &v1alpha1.Grant{Gate: v1alpha1.GateYuniKorn}},
		"":                {Grant: &v1alpha1.Grant{Gate: v1alpha1.GateNone}},
	} {
		if got := QueueOf(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestParseWindow: a month is asked for by its dates, and nothing is counted of the future.
func TestParseWindow(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	for asked, want := range map[[2]string]Window{
		{"7d", ""}:                             {noon.Add(-7 * 24 * time.Hour), noon},
		{"90m", "1h"}:                          {noon.Add(-90 * time.Minute), noon.Add(-time.Hour)},
		{"2026-02-01", "2026-03-01"}:           {day(2, 1), day(3, 1)},
		{"2026-02-01", "2026-04-01"}:           {day(2, 1), noon},
		{"2026-02-01T00:00:00+01:00", "12h"}:   {day(1, 31).Add(23 * time.Hour), day(3, 1)},
		{"2026-02-01T00:00:00Z", "2026-02-02"}: {day(2, 1), day(2, 2)},
	} {
		if got, err := ParseWindow(asked[0], asked[1], noon); err != nil || !got.From.Equal(want.From) || !got.Until.Equal(want.Until) {
			t.Errorf("%v: %v %v, want %v", asked, got, err, want)
		}
	}
	for asked, want := range map[[2]string]string{
		{"yesterday", ""}: `--since: "yesterday" is not a duration; use days`, {"7d", "soon"}: `--until: "soon" is not a duration`, {"1h", "2h"}: "--since: 2026-03-01T11:00:00Z is not before the end, 2026-03-01T10:00:00Z",
		{"2026-03-02", ""}: "is not before the end", {"2026-13-01", ""}: "is not a duration",
	} {
		if _, err := ParseWindow(asked[0], asked[1], noon); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", asked, err, want)
		}
	}
}

// TestWindowOfThePast: of an attempt that still runs, only its part of the window counts.
func TestWindowOfThePast(t *testing.T) {
	t.Parallel()
	admitted := at(0)
	app := application("stream")
	app.Status.Times.Admitted = &admitted
	app.Status.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{{Count: 1, Requests: map[corev1Name]quantity{"cpu": parse("1")}}}}
	app.Status.Usage = &v1alpha1.Usage{At: metav1.NewMicroTime(at(8).Time), Granted: v1alpha1.ResourceSeconds{MilliCPUSeconds: 8 * 3600_000}}
	w := Window{at(2).Time, at(4).Time}
	records, _ := w.ChargedTo("", app, at(10).Time)
	if got := Summarize(records, w, ByQueue, nil).Total.Granted.CPU; math.Abs(got-2) > 1e-9 {
		t.Errorf("%v core-hours, want 2", got)
	}
}

// TestReleasedLate: an attempt whose pods took hours to end held its grant until then, and counts in the windows in which it did.
func TestReleasedLate(t *testing.T) {
	t.Parallel()
	attempt := ended(1, failed, [2]int{0, 4}, 2)
	released := at(4)
	finished := at(1)
	attempt.FinishedAt, attempt.Usage.Until = &finished, &released
	app := application("pi", attempt)
	for hours, want := range map[[2]int]float64{{-1, 9}: 8, {0, 1}: 2, {2, 3}: 2, {5, 9}: 0} {
		w := Window{at(hours[0]).Time, at(hours[1]).Time}
		if got := Summarize(RecordsOf(app, at(9).Time), w, ByQueue, nil).Total.Granted.CPU; got != want {
			t.Errorf("from %d to %d o'clock: %v core-hours, want %v", hours[0], hours[1], got, want)
		}
	}
}
