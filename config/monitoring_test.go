// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	_ "github.com/sparkgate/sparkgate/controllers" // registers all metrics of the operator
)

// rule of a PrometheusRule.
type rule struct {
	Record, Alert, Expr string
	Labels, Annotations map[string]string
}

// rulesToEvaluate are those of all groups.
func rulesToEvaluate(t *testing.T) []rule {
	t.Helper()
	var all []rule
	for _, r := range documents[struct {
		Spec struct{ Groups []struct{ Rules []rule } }
	}](t, "monitoring/rules.yaml") {
		for _, g := range r.Spec.Groups {
			all = append(all, g.Rules...)
		}
	}
	return all
}

// panelQueries are the queries of a dashboard by the titles of their panels.
func panelQueries(t *testing.T, path string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	queries := map[string][]string{}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			queries[p.Title] = append(queries[p.Title], target.Expr)
		}
	}
	return queries
}

var (
	fqName = regexp.MustCompile(`fqName: "([^"]+)"`)
	// notMetrics are the parts of a query in which other names stand: texts, matchers, ranges, and lists of labels.
	notMetrics = regexp.MustCompile("\"[^\"]*\"|'[^']*'|\\{[^}]*\\}|\\[[^\\]]*\\]|\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)|#.*")
	nameInside = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
	duration   = regexp.MustCompile(`\b[0-9]+(ms|[smhdwy])\b`)
	words      = []string{"and", "or", "unless", "offset", "bool"}
)

// metricsIn are the names of metrics in a query: what is neither a function nor an operator.
func metricsIn(query string) []string {
	var names []string
	for _, found := range nameInside.FindAllString(duration.ReplaceAllString(notMetrics.ReplaceAllString(query, " "), " "), -1) {
		if name := strings.TrimSpace(found); !strings.HasSuffix(name, "(") && !slices.Contains(words, name) {
			names = append(names, name)
		}
	}
	return names
}

// exists reports whether the operator has a metric, as itself or as a series of a histogram.
func exists(known map[string]bool, name string) bool {
	for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
		if base, has := strings.CutSuffix(name, suffix); has && known[base] {
			return true
		}
	}
	return false
}

// TestEveryQueryNamesMetricsThatExist: in rules and dashboards stand metrics that the operator registers, recorded ones, and those that Prometheus
// makes itself. Each recorded one is used.
func TestEveryQueryNamesMetricsThatExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"up": true, "ALERTS": true}
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		metrics.Registry.(prometheus.Collector).Describe(descs)
	}()
	for d := range descs {
		known[fqName.FindStringSubmatch(d.String())[1]] = true
	}
	queries, used := map[string][]string{}, map[string]bool{}
	for _, r := range rulesToEvaluate(t) {
		queries[r.Record+r.Alert] = []string{r.Expr}
		if r.Record != "" {
			known[r.Record] = true
		}
	}
	dashboards, err := filepath.Glob("monitoring/dashboards/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range dashboards {
		for title, all := range panelQueries(t, path) {
			queries[filepath.Base(path)+": "+title] = all
		}
	}
	for where, all := range queries {
		for _, query := range all {
			names := metricsIn(query)
			if len(names) == 0 {
				t.Errorf("%s asks for no metric: %s", where, query)
			}
			for _, name := range names {
				used[name] = true
				if !exists(known, name) {
					t.Errorf("%s asks for %s, which does not exist", where, name)
				}
			}
		}
	}
	for name := range known {
		if strings.Contains(name, ":") && !used[name] {
			t.Errorf("%s is recorded for nothing", name)
		}
	}
}

func TestNamesInQueries(t *testing.T) {
	t.Parallel()
	const query = `sum by (job, code) (rate(a_total{code=~"b|c"}[5m])) / on (queue) group_left (d) level:e:rate5m > 0.5 unless (up{x="y"} offset 1h) # f
		and time() - g > 6 * 3600`
	if got, want := metricsIn(query), []string{"a_total", "level:e:rate5m", "up", "g"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestEveryAlertHasItsRunbook: each has a severity and says what is wrong; its link leads to its section of docs/alerts.md, which has no others.
func TestEveryAlertHasItsRunbook(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(string(page), -1) {
		sections[m[1]] = true
	}
	for _, r := range rulesToEvaluate(t) {
		if r.Alert == "" {
			continue
		}
		if !sections[r.Alert] {
			t.Errorf("docs/alerts.md has no section for %s", r.Alert)
		}
		delete(sections, r.Alert)
		if want := "https://github.com/sparkgate/sparkgate/blob/main/docs/alerts.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s has the runbook %q; want %q", r.Alert, r.Annotations["runbook_url"], want)
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || !slices.Contains([]string{"critical", "warning"}, r.Labels["severity"]) {
			t.Errorf("%s has no summary, description or severity: %v %v", r.Alert, r.Annotations, r.Labels)
		}
	}
	for name := range sections {
		t.Errorf("docs/alerts.md explains %s, which does not exist", name)
	}
}
