// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/tsdb"
)

// step is the interval at which Prometheus scrapes and evaluates.
const step = 30 * time.Second

// prometheus scrapes one target and the additional pods in beside, and evaluates the shipped rules.
type prometheus struct {
	t       *testing.T
	address string
	// target has the labels that the PodMonitor gives the operator's pod; labels of a metric take precedence.
	target labels.Labels
	// beside are additional pods, by name, with the metrics that they answer with. If a name is prefixed with a
	// namespace, the pod is in that one.
	beside map[string]string
	// busy reports whether there is another operator which has much to do, all of which succeeds.
	busy   bool
	parser parser.Parser
	db     *tsdb.DB
	engine *promql.Engine
	groups []*rules.Group
	// begin is the time of the first scrape, now that of the last one.
	begin, now time.Time
	// seen are the series of the last scrape.
	seen map[string]labels.Labels
}

func newPrometheus(t *testing.T, address string) *prometheus {
	t.Helper()
	p := &prometheus{
		t: t, address: address, parser: parser.NewParser(parser.Options{}),
		// No result depends on where the steps of subqueries, which begin with the epoch, lie between two scrapes.
		begin: time.Now().Truncate(step).Add(step / 4),
		target: labels.FromStrings("job", "sparkgate", "namespace", "sparkgate-system", "pod", "sparkgate-0", "container", "operator",
			"endpoint", "metrics", "instance", address),
	}
	p.now = p.begin
	options := tsdb.DefaultOptions()
	// Keep everything in memory.
	options.MinBlockDuration, options.MaxBlockDuration = (48 * time.Hour).Milliseconds(), (48 * time.Hour).Milliseconds()
	var err error
	if p.db, err = tsdb.Open(t.TempDir(), slog.New(slog.DiscardHandler), nil, options, nil); err != nil {
		t.Fatal(err)
	}
	p.engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 50_000_000, Timeout: time.Minute, Parser: p.parser, EnableAtModifier: true, EnableNegativeOffset: true})
	t.Cleanup(func() {
		if err := errors.Join(p.engine.Close(), p.db.Close()); err != nil {
			t.Error(err)
		}
	})
	p.loadRules()
	return p
}

// loadRules reads the groups of the PrometheusRule as Prometheus reads its files.
func (p *prometheus) loadRules() {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, shippedGroups(p.t), 0o600); err != nil {
		p.t.Fatal(err)
	}
	manager := rules.NewManager(&rules.ManagerOptions{
		Context: p.t.Context(), Appendable: p.db, Queryable: p.db, QueryFunc: rules.EngineQueryFunc(p.engine, p.db),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler), Parser: p.parser,
	})
	loaded, errs := manager.LoadGroups(step, labels.EmptyLabels(), "", nil, false, path)
	if len(errs) > 0 {
		p.t.Fatal(errors.Join(errs...))
	}
	for _, g := range loaded {
		p.groups = append(p.groups, g)
	}
	// Evaluate recording rules before the alerts that use them.
	slices.SortFunc(p.groups, func(a, b *rules.Group) int { return len(a.AlertingRules()) - len(b.AlertingRules()) })
}

// pass lets time pass, scrape by scrape.
func (p *prometheus) pass(d time.Duration) {
	p.t.Helper()
	for range max(1, d/step) {
		p.tick(step)
	}
}

// tick lets time pass, then scrapes and evaluates once.
func (p *prometheus) tick(d time.Duration) {
	p.t.Helper()
	p.now = p.now.Add(d)
	if p.busy {
		n := p.now.Sub(p.begin).Seconds() * 100
		p.beside = map[string]string{"sparkgate-team-b/sparkgate-1": "sparkgate_deciding 1\n" +
			fmt.Sprintf("sparkgate_api_writes_total{verb=\"patch\",resource=\"sparkqueues/status\",code=\"200\"} %.0f\n", n) +
			fmt.Sprintf("rest_client_requests_total{method=\"GET\",code=\"200\"} %.0f\n", n)}
	}
	body, contentType, err := p.get()
	if err != nil {
		body = nil
	}
	if err := p.store(body, contentType, err == nil); err != nil {
		p.t.Fatalf("store a scrape: %v", err)
	}
	for _, g := range p.groups {
		g.Eval(p.t.Context(), p.now)
		for _, r := range g.Rules() {
			if r.LastError() != nil {
				p.t.Fatalf("%s: %v", r.Name(), r.LastError())
			}
		}
	}
}

func (p *prometheus) get() (body []byte, contentType string, err error) {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.address+"/metrics", nil)
	if err != nil {
		return nil, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("it answers %s", response.Status)
	}
	body, err = io.ReadAll(response.Body)
	return body, response.Header.Get("Content-Type"), err
}

// up has the value 1 for a target that has answered.
var up = labels.FromStrings(model.MetricNameLabel, "up")

// store appends the scraped samples, the series up, and an end for each series that has disappeared.
func (p *prometheus) store(body []byte, contentType string, answers bool) error {
	appender := p.db.Appender(p.t.Context())
	at, seen := p.now.UnixMilli(), map[string]labels.Labels{}
	add := func(series labels.Labels, v float64) error {
		seen[series.String()] = series
		_, err := appender.Append(0, series, at, v)
		return err
	}
	answered := 0.0
	if answers {
		answered = 1
		if err := p.read(body, contentType, p.target, add); err != nil {
			return errors.Join(err, appender.Rollback())
		}
	}
	if err := errors.Join(add(labeled(up, p.target), answered), p.readBeside(add)); err != nil {
		return errors.Join(err, appender.Rollback())
	}
	for name, series := range p.seen {
		if _, still := seen[name]; !still {
			if _, err := appender.Append(0, series, at, math.Float64frombits(value.StaleNaN)); err != nil {
				return errors.Join(err, appender.Rollback())
			}
		}
	}
	p.seen = seen
	return appender.Commit()
}

// readBeside passes each sample of the additional pods to add.
func (p *prometheus) readBeside(add func(labels.Labels, float64) error) error {
	for pod, page := range p.beside {
		builder := labels.NewBuilder(p.target).Set("pod", pod).Set("instance", pod)
		if namespace, name, has := strings.Cut(pod, "/"); has {
			builder.Set("namespace", namespace).Set("pod", name)
		}
		target := builder.Labels()
		if err := errors.Join(add(labeled(up, target), 1), p.read([]byte(page), "text/plain", target, add)); err != nil {
			return fmt.Errorf("pod %s: %w", pod, err)
		}
	}
	return nil
}

// read passes each sample of a target's page of metrics to add.
func (p *prometheus) read(body []byte, contentType string, target labels.Labels, add func(labels.Labels, float64) error) error {
	page, err := textparse.New(body, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	for {
		entry, err := page.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case entry != textparse.EntrySeries:
			continue
		}
		var series labels.Labels
		page.Labels(&series)
		_, _, v := page.Series()
		if err := add(labeled(series, target), v); err != nil {
			return fmt.Errorf("%s: %w", series, err)
		}
	}
}

// labeled adds the labels of a target, as with honorLabels: those of the series take precedence.
func labeled(series, target labels.Labels) labels.Labels {
	builder := labels.NewBuilder(series)
	target.Range(func(l labels.Label) {
		if series.Get(l.Name) == "" {
			builder.Set(l.Name, l.Value)
		}
	})
	return builder.Labels()
}

// samples counts the values of a query from the first scrape to the last, without those that are not numbers.
func (p *prometheus) samples(query string) int {
	p.t.Helper()
	q, err := p.engine.NewRangeQuery(p.t.Context(), p.db, nil, query, p.begin, p.now, step)
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	defer q.Close()
	result := q.Exec(p.t.Context())
	matrix, err := result.Matrix()
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	n := 0
	for _, series := range matrix {
		for _, point := range series.Floats {
			if !math.IsNaN(point.F) && !math.IsInf(point.F, 0) {
				n++
			}
		}
	}
	return n
}

// alerts returns the names of all alerts, in order.
func (p *prometheus) alerts() []string {
	var names []string
	for _, g := range p.groups {
		for _, r := range g.AlertingRules() {
			names = append(names, r.Name())
		}
	}
	return names
}

// firing returns the alerts that fire, with their labels and messages.
func (p *prometheus) firing() map[string][]string {
	found := map[string][]string{}
	for _, g := range p.groups {
		for _, r := range g.AlertingRules() {
			for _, a := range r.ActiveAlerts() {
				if a.State == rules.StateFiring {
					found[r.Name()] = append(found[r.Name()], a.Labels.String()+" "+a.Annotations.Get("description"))
				}
			}
		}
	}
	return found
}

// fires lets time pass until an alert fires, and returns its message.
func (p *prometheus) fires(alert string, within time.Duration) string {
	p.t.Helper()
	for range within / step {
		p.tick(step)
		if said := p.firing()[alert]; len(said) > 0 {
			return strings.Join(said, "\n")
		}
	}
	p.t.Fatalf("%s does not fire within %s; these do: %v", alert, within, p.firing())
	return ""
}

// keepsSilent lets time pass in which an alert must not fire.
func (p *prometheus) keepsSilent(alert string, during time.Duration) {
	p.t.Helper()
	for range during / step {
		p.tick(step)
		if said := p.firing()[alert]; len(said) > 0 {
			p.t.Errorf("%s fires: %v", alert, said)
			return
		}
	}
}

// ends lets time pass until an alert fires no longer.
func (p *prometheus) ends(alert string, within time.Duration) {
	p.t.Helper()
	for range within / step {
		p.tick(step)
		if len(p.firing()[alert]) == 0 {
			return
		}
	}
	p.t.Fatalf("%s still fires after %s: %v", alert, within, p.firing()[alert])
}
