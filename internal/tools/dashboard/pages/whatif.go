// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/tools/client/live"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// effectsShown is how many effects of a plan are listed.
const effectsShown = 100

// whatIfPage shows what a change of quotas would do.
type whatIfPage struct {
	Base string
	// Name is the name of the queue; empty if none was chosen.
	Name   string
	Queues []string
	Quotas []quotaFields
	// Planned reports that the viewer has asked for a plan. Refused is why there is none.
	Planned bool
	Refused []string
	Counts  []outcomeCount
	Effects []effectRow
	More    int
	// Without are sentences about kinds that the viewer may not read, so that the plan leaves them out.
	Without []string
	// Manifest is the changed queue, by lines.
	Manifest []string
}

// quotaFields are the quotas of one resource in one flavor, as texts that the viewer can edit.
type quotaFields struct {
	Flavor, Resource string
	Fields           []quotaField
}

// quotaField is nominal, borrowingLimit or lendingLimit.
type quotaField struct {
	// Name is the name in the form, Label the one that is shown.
	Name, Label, Value string
	// Now is the current value of the queue; empty for none.
	Now     string
	Changed bool
}

// effectRow is the effect on an application.
type effectRow struct {
	offline.Effect
	// Path is the page of the application; What is shown if there is none.
	Path, What string
	Tone, From string
}

// outcomeCount is the number of applications with an outcome.
type outcomeCount struct {
	Tone  string
	Text  string
	Count int
}

// buildWhatIf is the builder for the page about a change of quotas. It writes nothing to the cluster.
func buildWhatIf(v *Visit) (view, error) {
	out := view{title: "What if", section: sectionWhatIf, template: "whatif", still: true}
	queues, err := queuesOf(v)
	if err != nil {
		return out, err
	}
	query := v.request.URL.Query()
	p := whatIfPage{Base: v.site.Base, Name: say(query.Get("queue"))}
	var chosen *v1alpha1.SparkQueue
	for i := range queues {
		p.Queues = append(p.Queues, queues[i].Name)
		if queues[i].Name == p.Name {
			chosen = &queues[i]
		}
	}
	slices.Sort(p.Queues)
	if p.Name != "" && chosen == nil {
		return out, &notFound{"sparkqueue " + p.Name + " not found: it does not exist, or was deleted"}
	}
	if chosen != nil {
		p.fields(chosen, query)
		if p.Planned = query.Has("plan"); p.Planned {
			out.status = p.plan(v, chosen)
		}
	}
	out.data = p
	return out, nil
}

// fields fills in the quotas of a queue, and the values that the viewer has entered instead.
func (p *whatIfPage) fields(q *v1alpha1.SparkQueue, query url.Values) {
	for i := range q.Spec.Flavors {
		flavor := &q.Spec.Flavors[i]
		for k := range flavor.Quotas {
			quota := &flavor.Quotas[k]
			row := quotaFields{Flavor: flavor.Name, Resource: quota.Resource}
			for _, f := range []struct {
				name, label string
				value       *resource.Quantity
			}{{"nominal", "Quota", &quota.Nominal}, {"borrowingLimit", "Borrowing limit", quota.BorrowingLimit}, {"lendingLimit", "Lending limit", quota.LendingLimit}} {
				field := quotaField{Name: strings.Join([]string{f.name, flavor.Name, quota.Resource}, ":"), Label: f.label}
				if f.value != nil {
					field.Now = f.value.String()
				}
				field.Value = field.Now
				if query.Has(field.Name) {
					field.Value = strings.TrimSpace(say(query.Get(field.Name)))
				}
				field.Changed = field.Value != field.Now
				row.Fields = append(row.Fields, field)
			}
			p.Quotas = append(p.Quotas, row)
		}
	}
}

// plan predicts the effects, and returns the HTTP status; 0 is success.
func (p *whatIfPage) plan(v *Visit, q *v1alpha1.SparkQueue) int {
	manifest, err := p.manifest(q)
	if err != nil {
		p.Refused = lines(err.Error())
		return http.StatusInternalServerError
	}
	done, err := v.TurnToPlan(v.ctx)
	if err != nil {
		p.Refused = lines(err.Error())
		return http.StatusServiceUnavailable
	}
	defer done()
	state, without, err := live.Read(v.ctx, v.Cluster, live.Options{Now: v.Clock.Now()})
	if err != nil {
		p.Refused = lines(err.Error())
		return StatusOf(err)
	}
	plan, err := offline.NewPlan(state, []offline.File{{Name: "the queue", Text: manifest}}, offline.PlanOptions{})
	if err != nil {
		p.Refused = lines(err.Error())
		return http.StatusUnprocessableEntity
	}
	p.Without = without
	p.Manifest = lines(string(manifest))
	p.show(plan.Effects)
	return 0
}

// manifest returns the queue with the values that the viewer has entered. They are validated by the plan.
func (p *whatIfPage) manifest(q *v1alpha1.SparkQueue) ([]byte, error) {
	text, err := json.Marshal(q.Spec)
	if err != nil {
		return nil, fmt.Errorf("write queue %s: %w", q.Name, err)
	}
	var spec map[string]any
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("read queue %s: %w", q.Name, err)
	}
	written := map[string]string{}
	for _, row := range p.Quotas {
		for _, f := range row.Fields {
			written[f.Name] = f.Value
		}
	}
	for _, flavor := range objectsIn(spec["flavors"]) {
		for _, quota := range objectsIn(flavor["quotas"]) {
			for _, field := range []string{"nominal", "borrowingLimit", "lendingLimit"} {
				name := fmt.Sprintf("%s:%s:%s", field, flavor["name"], quota["resource"])
				if quota[field] = written[name]; written[name] == "" {
					delete(quota, field)
				}
			}
		}
	}
	return yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SparkQueueKind, "metadata": map[string]any{"name": q.Name}, "spec": spec,
	})
}

// lines returns the lines of a text from outside, with unprintable characters as escapes.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, redact.Visible(strings.TrimRight(line, "\n")))
	}
	return out
}

// objectsIn returns the objects of a JSON list.
func objectsIn(list any) []map[string]any {
	var all []map[string]any
	values, _ := list.([]any)
	for _, value := range values {
		if object, ok := value.(map[string]any); ok {
			all = append(all, object)
		}
	}
	return all
}

// show lists and counts the effects.
func (p *whatIfPage) show(effects []offline.Effect) {
	counts := map[offline.EndState]int{}
	for _, e := range effects {
		counts[e.After]++
		if len(p.Effects) >= effectsShown {
			p.More++
			continue
		}
		row := effectRow{Effect: e, Tone: toneOf(e.After), From: toneOf(e.Before)}
		switch e.Kind {
		case v1alpha1.SparkApplicationKind:
			row.Path = PathOf(p.Base, "applications", e.Namespace, e.Name)
		case v1alpha1.ScheduledSparkApplicationKind:
			row.What = "schedule"
		default:
			row.What = "pod"
		}
		p.Effects = append(p.Effects, row)
	}
	for _, outcome := range offline.EndStates {
		if n := counts[outcome]; n > 0 {
			p.Counts = append(p.Counts, outcomeCount{toneOf(outcome), string(outcome), n})
		}
	}
}

// toneOf returns the color of an outcome.
func toneOf(o offline.EndState) string {
	switch o {
	case offline.Admitted, offline.Fits:
		return "good"
	case offline.Waiting:
		return "wait"
	case offline.Preempted, offline.Refused:
		return "bad"
	case offline.Absent, offline.Elsewhere:
	}
	return "idle"
}
