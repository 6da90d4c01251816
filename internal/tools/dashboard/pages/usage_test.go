// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// used returns an application whose two attempts held four cores for an hour each: one failed, one succeeded.
func used(t *testing.T, name string) *viewer.Application {
	t.Helper()
	attempt := `{"run":1,"attempt":%d,"outcome":%q,"finishedAt":"2026-01-01T0%d:00:00Z","message":"long",
		"usage":{"queue":"team-a","since":"2026-01-01T0%d:00:00Z","granted":{"milliCPUSeconds":14400000,"memoryMiBSeconds":3686400},"requested":{"milliCPUSeconds":7200000}}}`
	return row(t, name, "Succeeded", fmt.Sprintf(`,"queue":"team-a","attempts":[`+attempt+`,`+attempt+`]`, 1, "Failed", 2, 1, 2, "Succeeded", 3, 2))
}

// asked returns the page of a query, with what is said of an application.
func asked(t *testing.T, query url.Values, prices *usage.Prices) usagePage {
	t.Helper()
	p := usagePage{Filter: filterOf(query), By: query.Get("by"), Label: query.Get("label"), Since: query.Get("since"), Until: query.Get("until"), Prices: query.Get("prices")}
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	p.sum([]*viewer.Application{used(t, "pi")}, p.question(prices, now), now)
	return p
}

// TestUsageOfRows: what a list keeps of an application has all of its attempts, and the bar shows what failed.
func TestUsageOfRows(t *testing.T) {
	t.Parallel()
	p := asked(t, url.Values{"by": {"label"}, "label": {"team"}, "since": {"2d"}}, &usage.Prices{Currency: "EUR", Default: usage.Price{CoreHour: ptr.To(0.5)}})
	if len(p.Rows) != 1 || p.Rows[0].Key != "a" || p.Rows[0].Attempts != 2 || len(p.Problems) > 0 {
		t.Fatalf("%+v", p)
	}
	row := p.Rows[0]
	got := []any{row.Granted.CPU, row.Granted.Memory, row.Failed.CPU, row.Cost, row.WastedCost, row.Wastes(), p.Used}
	if want := []any{8.0, 2.0, 4.0, "4.00 EUR", "2.00 EUR", true, "50 %"}; !slices.Equal(got, want) {
		t.Errorf("(-want +got)\n- %v\n+ %v", want, got)
	}
	if b := row.Bar; b.Good != 50 || b.Failed != 50 || b.FailedFrom != 50 || b.Stopped+b.Preempted != 0 {
		t.Errorf("bar %+v", b)
	}
	if half := asked(t, url.Values{"by": {"queue"}, "since": {"1290m"}}, nil); math.Round(half.Total.Granted.CPU) != 2 || half.Priced {
		t.Errorf("of the last half hour: %+v", half.Total)
	}
}

// TestUsageOfAWindow: as with sparkctl usage, from and until may be dates and times; what is outside does not count.
func TestUsageOfAWindow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		since, until string
		hours        float64
		over         string
	}{
		"up to now":         {"2d", "", 8, "in the last 2d"},
		"a day":             {"2026-01-01", "2026-01-02", 8, "from 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z"},
		"the first attempt": {"2026-01-01", "2026-01-01T03:00:00+01:00", 4, "from 2026-01-01T00:00:00Z to 2026-01-01T02:00:00Z"},
		"the second one":    {"22h", "21h", 4, "from 2026-01-01T02:00:00Z to 2026-01-01T03:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := asked(t, url.Values{"by": {"queue"}, "since": {tt.since}, "until": {tt.until}}, nil)
			if math.Round(p.Total.Granted.CPU) != tt.hours || p.Over != tt.over || len(p.Problems) > 0 {
				t.Errorf("%v core-hours %q, want %v %q; %q", p.Total.Granted.CPU, p.Over, tt.hours, tt.over, p.Problems)
			}
		})
	}
}

// TestUsageSaysMistakes: what cannot be understood is named, and the page shows the rest.
func TestUsageSaysMistakes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		query url.Values
		want  string
	}{
		"a key that is none":    {url.Values{"by": {"color"}, "since": {"7d"}}, `by: unknown key "color"`},
		"a label without name":  {url.Values{"by": {"label"}, "since": {"7d"}}, `by: "" is not the name of a label`},
		"no duration":           {url.Values{"by": {"queue"}, "since": {"yesterday"}}, `since: "yesterday" is not a duration`},
		"no end":                {url.Values{"by": {"queue"}, "since": {"7d"}, "until": {"tomorrow"}}, `until: "tomorrow" is not a duration`},
		"an end before":         {url.Values{"by": {"queue"}, "since": {"1d"}, "until": {"2d"}}, "since: 2026-01-01T00:00:00Z is not before the end"},
		"a price below nothing": {url.Values{"by": {"queue"}, "since": {"7d"}, "prices": {"default: {coreHour: -1}"}}, "default.coreHour: -1 is not a price"},
		"no price list":         {url.Values{"by": {"queue"}, "since": {"7d"}, "prices": {"<script>"}}, "invalid price list"},
		"no selector":           {url.Values{"by": {"queue"}, "since": {"7d"}, "labels": {"==="}}, "is not a label selector"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p := asked(t, tt.query, nil); len(p.Problems) != 1 || !strings.Contains(p.Problems[0], tt.want) {
				t.Errorf("%q, want %q", p.Problems, tt.want)
			}
		})
	}
}
