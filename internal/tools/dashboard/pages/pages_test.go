// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// row decodes an application from JSON, as a watch does.
func row(t *testing.T, name, stage string, more string) *viewer.Application {
	t.Helper()
	a := &viewer.Application{}
	text := fmt.Sprintf(`{"metadata":{"namespace":"etl","name":%q,"uid":%q,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"team":"a"}},
		"spec":{"queue":{"name":"team-a"}},"status":{"conditions":[{"type":"Ready","status":"False","reason":%q,"message":"said <b>"}]%s}}`, name, name, stage, more)
	if err := json.Unmarshal([]byte(text), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestHoldersOfADeletedQueue: they are in the page of the nearest queue above that exists, at which they count.
func TestHoldersOfADeletedQueue(t *testing.T) {
	t.Parallel()
	a := row(t, "pi", "Running", `,"grant":{"run":1,"attempt":1,"gate":"Embedded","queue":"gone","ancestors":["gone-too","root"]}`)
	for name, test := range map[string]struct {
		exist map[string]bool
		want  int
	}{
		"its parents were deleted as well": {map[string]bool{"root": true}, 1},
		"it exists elsewhere":              {map[string]bool{"root": true, "gone": true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := queuePage{Name: "root", Now: time.Date(2026, 1, 1, 1, 2, 0, 0, time.UTC)}
			p.take([]*viewer.Application{a}, map[string]bool{"root": true}, test.exist)
			if len(p.Holders) != test.want || test.want == 1 && p.Holders[0].Queue != "root" {
				t.Errorf("holders %+v", p.Holders)
			}
		})
	}
}

// TestFilter: by queue, stage or group of stages, labels and text.
func TestFilter(t *testing.T) {
	t.Parallel()
	all := []*viewer.Application{row(t, "pi", "Running", ""), row(t, "load", "Queued", ""), row(t, "old", "Succeeded", ""), row(t, "bad", "InvalidSpec", "")}
	for query, want := range map[string]string{
		"":                            "bad load pi old",
		"stage=Running":               "pi",
		"stage=waiting":               "load",
		"stage=failed":                "bad",
		"stage=none":                  "",
		"queue=team-a&q=LO":           "load",
		"queue=team-b":                "",
		"labels=team%3Da":             "bad load pi old",
		"labels=team+notin+(a)":       "",
		"labels=%3D%3D%3D":            "",
		"q=said":                      "bad load pi old",
		"stage=Running&q=load&page=7": "",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			p := applicationsPage{Filter: filterOf(values)}
			p.take(all, values)
			var names []string
			for _, r := range p.Rows {
				names = append(names, r.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if wrong := strings.Contains(query, "%3D%3D%3D"); wrong != (p.Filter.Problem != "") {
				t.Errorf("problem %q", p.Filter.Problem)
			}
		})
	}
}

// TestOtherGates: what another gate holds or lets wait in a queue of the same name is not in the page of the SparkQueue.
func TestOtherGates(t *testing.T) {
	t.Parallel()
	grant := `,"queue":"team-a","grant":{"run":1,"attempt":1,"gate":%q,"queue":"team-a","podSets":[{"name":"driver","count":1,"requests":{"cpu":"1"}}]},
		"usage":{"at":"2026-01-01T00:00:00.000000Z"},"times":{"admitted":"2026-01-01T00:00:00Z"}`
	all := []*viewer.Application{
		row(t, "here", "Running", fmt.Sprintf(grant, "Embedded")), row(t, "there", "Running", fmt.Sprintf(grant, "Kueue")),
		row(t, "waits-here", "Queued", `,"queue":"team-a","ask":{"gate":"Embedded"}`), row(t, "waits-there", "Queued", `,"queue":"team-a","ask":{"gate":"Volcano"}`),
	}
	p := queuePage{Name: "team-a", Now: time.Date(2026, 1, 1, 1, 2, 0, 0, time.UTC)}
	p.take(all, map[string]bool{"team-a": true}, map[string]bool{"team-a": true})
	if len(p.Holders) != 1 || p.Holders[0].Name != "here" || len(p.Waits) != 1 || p.Waits[0].Head.Name != "waits-here" {
		t.Errorf("holders %+v, waits %+v", p.Holders, p.Waits)
	}
	if len(p.History) != 1 || p.History[0].Text != "Cores: 1 now, 1 at most" {
		t.Errorf("history %+v", p.History)
	}
}

// TestMoreHolders: the list of those that are not shown is not empty: applications are in the queues below, and no list is of all of these.
func TestMoreHolders(t *testing.T) {
	t.Parallel()
	for link, children := range map[string][]string{`href="/s/applications?queue=root&amp;stage=running"`: nil, `href="/s/applications?stage=running"`: {"team-a"}} {
		text, err := fragment("queue", queuePage{Base: "/s", Name: "root", Children: children, Holders: []holderRow{{Namespace: "etl", Name: "pi"}}, MoreHolders: 3})
		if err != nil || !strings.Contains(string(text), link) {
			t.Errorf("%v, no %s in:\n%s", err, link, text)
		}
	}
}

// TestIdentifiers: no two rows have the same id, by which the script finds them again; one of them would be lost.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	var applications applicationsPage
	var schedules schedulesPage
	for namespace, name := range map[string]string{"etl": "prod-daily", "etl-prod": "daily"} {
		applications.Rows = append(applications.Rows, applicationRow{Summary: status.Summary{Namespace: namespace, Name: name}})
		schedules.Rows = append(schedules.Rows, scheduleRow{Namespace: namespace, Name: name})
	}
	for template, page := range map[string]any{"applications": applications, "schedules": schedules} {
		text, err := fragment(template, page)
		if err != nil {
			t.Fatal(err)
		}
		rows := regexp.MustCompile(`<tr id="([^"]*)"`).FindAllStringSubmatch(string(text), -1)
		if len(rows) != 2 || rows[0][1] == rows[1][1] {
			t.Errorf("%s: %q", template, rows)
		}
	}
}

// TestPager: whatever page is asked for, it exists.
func TestPager(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		page           string
		length         int
		from, to       int
		previous, next string
	}{
		"none":         {"", 0, 0, 0, "", ""},
		"the only one": {"", 10, 0, 10, "", ""},
		"the first":    {"1", 11, 0, 10, "", "?page=2&q=a"},
		"the last":     {"2", 11, 10, 11, "?page=1&q=a", ""},
		"behind it":    {"99", 11, 10, 11, "?page=1&q=a", ""},
		"below":        {"-3", 11, 0, 10, "", "?page=2&q=a"},
		"not a number": {"x", 11, 0, 10, "", "?page=2&q=a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pageOf(httptest.NewRequest("GET", "/?q=a&page="+tt.page, nil), tt.length, 10)
			if p.from != tt.from || p.to != tt.to || p.Previous != tt.previous || p.Next != tt.next {
				t.Errorf("%+v", p)
			}
		})
	}
}

// TestWebAddress: a link leads to a page and to nothing else.
func TestWebAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://pi-ui.etl.svc:4040": "", "http://ui.etl.svc.cluster.local": "", "https://svc.example.org/x": "https://svc.example.org/x", "https://h/x?y=1": "https://h/x?y=1",
		"javascript:alert(1)": "", "javascript://x/%0aalert(1)": "", "data://text": "", "pi-ui.etl.svc:4040": "", "http://": "",
	} {
		if got := webAddress(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
