// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

const explainPage = "../../docs/explain.md"

// day is a day of the tests.
var day = time.Date(2026, 9, 1, 10, 12, 3, 0, time.UTC)

// teams returns two queues below a root. etl and report run in team-a, one after the other. night and then pi also wait
// in team-a.
func teams(t *testing.T) *embedded.Engine {
	t.Helper()
	e := embedded.New()
	quotas := func(cpu, memory int64) []config.FlavorQuota {
		return []config.FlavorQuota{{Name: "default", Quotas: []config.ResourceQuota{
			{Resource: "cpu", Nominal: cpu, Borrowing: ptr.To(cpu)}, {Resource: "memory", Nominal: memory, Borrowing: ptr.To(memory)},
		}}}
	}
	all := func(map[string]string) bool { return true }
	e.Configure([]config.Queue{
		{Name: "root", Admits: all},
		{Name: "team-a", Parent: "root", Flavors: quotas(1000, 3<<30), Admits: all},
		{Name: "team-b", Parent: "root", Flavors: quotas(1000, 3<<30), Admits: all},
	}, nil)
	for i, name := range []string{"etl", "report", "night", "pi"} {
		e.Submit(askOf(name, i))
	}
	e.Cycle(0)
	return e
}

func askOf(name string, at int) queueing.Ask {
	requests := queueing.Resources{"cpu": 200, "memory": 896 << 20, "pods": 1}
	return queueing.Ask{
		Key: queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: name, UID: name}, Run: 1, Attempt: 1, Queue: "team-a",
		QueuedAt: day.Add(time.Duration(at) * time.Second),
		PodSets: []queueing.PodSet{
			{Name: "driver", Count: 1, Requests: requests}, {Name: "executor", Count: 2, Requests: requests},
		},
	}
}

// TestThePageIsTrue: the answers in the documentation equal those of the code. Run it with -update to update them.
func TestThePageIsTrue(t *testing.T) {
	e := teams(t)
	waits, _ := e.Explain(queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: "pi", UID: "pi"})
	holds, _ := e.Explain(queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: "etl", UID: "etl"})
	team, _ := e.Queues().Explain("team-a")
	pi, etl := Explanation(waits), Explanation(holds)
	pi.Namespace, pi.Name, pi.UID, pi.Stage, pi.StageMessage = "default", "pi", "9f6c1f0e-3c4e-4a8e-b1a5-0d4c5f6a7b8c", "Queued", pi.Message
	etl.Namespace, etl.Name, etl.UID, etl.Stage = "default", "etl", "1b2d3c4e-5f60-4a7b-8c9d-0e1f2a3b4c5d", "Running"
	data, err := os.ReadFile(explainPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, answer := range []struct {
		heading string
		value   any
	}{{"An application that waits", pi}, {"An application that holds quota", etl}, {"A queue", QueueExplanation(team)}} {
		text, err := json.MarshalIndent(answer.value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		before, rest, found := strings.Cut(page, "\n## "+answer.heading+"\n")
		intro, fenced, open := strings.Cut(rest, "```json\n")
		told, after, closed := strings.Cut(fenced, "\n```")
		if !found || !open || !closed {
			t.Fatalf("%s has no answer below %q", explainPage, answer.heading)
		}
		if diff := cmp.Diff(strings.Split(told, "\n"), strings.Split(string(text), "\n")); diff != "" && !golden.Updating() {
			t.Errorf("%s (-page +answer; run with -update if this is right):\n%s", answer.heading, diff)
		}
		page = before + "\n## " + answer.heading + "\n" + intro + "```json\n" + string(text) + "\n```" + after
	}
	if golden.Updating() {
		golden.Write(t, explainPage, page)
	}
}
