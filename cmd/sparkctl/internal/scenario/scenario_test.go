// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

const happens = "arrivals: [{at: 0s, name: a, queue: q, podSets: [{name: driver, requests: {cpu: 1}}], runFor: 1m}]\n"

func TestParse(t *testing.T) {
	t.Parallel()
	got, _, err := parse(`# comments are no document
---
apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: team, labels: {a: b}}
spec:
  flavors: [{name: spot, quotas: [{resource: cpu, nominal: 1500m}]}]
--- # another
kind: SparkFlavor
metadata: {name: spot}
spec: {nodeLabels: {lifecycle: spot}}
---
namespaces: {spark: {labels: {team: a}}}
arrivals:
- {name: first, queue: team, podSets: [{name: driver}], runFor: 90s}
- at: 1h30m
  name: second
  namespace: spark
  queue: team
  priority: -5
  podSets:
  - {name: driver, count: 2, requests: {cpu: 1.5, memory: 1Gi, pods: 1}}
  - {name: executor, count: 0, requests: {cpu: "2"}}
  runFor: 0s
- name: third
  queue: team
  podSets: [{name: executor, count: 4, minCount: 2, nodeSelector: {zone: a}}]
  runFor: 2h
  timeouts: {run: 1h}
changes:
- {at: 1m, apply: {kind: SparkFlavor, metadata: {name: gpu}}}
- {at: 2m, delete: {kind: SparkQueue, name: team}}
- {delete: {kind: SparkFlavor, name: spot}}
- {at: 3m, apply: {kind: SparkQueue, metadata: {name: team}, spec: {parent: root}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(namespace, name string, priority int32, sets ...queueing.PodSet) queueing.Ask {
		labels := map[string]string{corev1.LabelMetadataName: namespace}
		if namespace == "spark" {
			labels["team"] = "a"
		}
		return queueing.Ask{Key: queueing.Key{Namespace: namespace, Name: name}, Queue: "team", Priority: priority, NamespaceLabels: labels, PodSets: sets}
	}
	queueOf := func(name string, spec v1alpha1.SparkQueueSpec) config.Queue {
		return convert.QueueConfig(&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec})
	}
	bounded := ask("default", "third", 0, queueing.PodSet{
		Name: "executor", Count: 4, MinCount: 2, Requests: queueing.Resources{"pods": 1}, NodeSelector: map[string]string{"zone": "a"},
	})
	bounded.HoldsFor = time.Hour
	replaced := queueOf("team", v1alpha1.SparkQueueSpec{Parent: "root"})
	want := simulator.Scenario{
		Queues: []config.Queue{queueOf("team", v1alpha1.SparkQueueSpec{Flavors: []v1alpha1.FlavorQuota{
			{Name: "spot", Quotas: []v1alpha1.ResourceQuota{{Resource: "cpu", Nominal: resource.MustParse("1500m")}}},
		}})},
		Flavors: []config.Flavor{{Name: "spot", NodeLabels: map[string]string{"lifecycle": "spot"}}},
		Arrivals: []simulator.Arrival{
			{RunFor: 90 * time.Second, Ask: ask("default", "first", 0, queueing.PodSet{Name: "driver", Count: 1, Requests: queueing.Resources{"pods": 1}})},
			{At: 90 * time.Minute, Ask: ask("spark", "second", -5,
				queueing.PodSet{Name: "driver", Count: 2, Requests: queueing.Resources{"cpu": 1500, "memory": 1 << 30, "pods": 1}},
				queueing.PodSet{Name: "executor", Requests: queueing.Resources{"cpu": 2000, "pods": 1}})},
			{RunFor: time.Hour, Ask: bounded},
		},
		Changes: []simulator.Change{
			{At: time.Minute, Flavor: &config.Flavor{Name: "gpu"}},
			{At: 2 * time.Minute, DeleteQueue: "team"},
			{DeleteFlavor: "spot"},
			{At: 3 * time.Minute, Queue: &replaced},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
}

func TestJSONIsTakenToo(t *testing.T) {
	t.Parallel()
	got, _, err := parse(`{"kind": "SparkQueue", "metadata": {"name": "q"}}
---
{"arrivals": [{"at": "1s", "name": "a", "queue": "q", "podSets": [{"name": "driver"}], "runFor": "1m"}]}`)
	if err != nil || len(got.Queues) != 1 || len(got.Arrivals) != 1 || got.Arrivals[0].At != time.Second {
		t.Errorf("got %v, %v", got, err)
	}
}

// arriving returns a stream with one arrival that has these keys besides the required ones, which they may override.
func arriving(keys string) string {
	needed := map[string]string{"name": "a", "queue": "q", "podSets": "[{name: driver}]", "runFor": "1m"}
	text := keys
	for _, key := range []string{"name", "queue", "podSets", "runFor"} {
		if !strings.Contains(keys, key+":") {
			text += fmt.Sprintf(", %s: %s", key, needed[key])
		}
	}
	return "arrivals: [{" + strings.TrimPrefix(text, ", ") + "}]"
}

// withSpec returns a stream with one queue of that spec.
func withSpec(spec string) string {
	return "kind: SparkQueue\nmetadata: {name: q}\nspec: {" + spec + "}\n---\n" + happens
}

func withQuota(quota string) string {
	return withSpec("flavors: [{name: default, quotas: [{" + quota + "}]}]")
}

func changing(changes string) string { return happens + "changes: [" + changes + "]" }

// parse reads a stream as the file s.yaml.
func parse(stream string) (simulator.Scenario, []string, error) {
	return Parse(offline.File{Name: "s.yaml", Text: []byte(stream)})
}

// TestMistakes: each mistake is reported with its document, its key, and a remedy.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stream string
		want   string
	}{
		"nothing at all":  {stream: "# nothing\n", want: `no document says what happens; add one without kind, with the key arrivals or schedules`},
		"no YAML":         {stream: happens + "---\n---\na: [\n", want: `s.yaml:4: the document cannot be read: yaml: line 4: did not find expected node content`},
		"not a map":       {stream: "- a\n---\n" + happens, want: `s.yaml:3: another document without kind precedes it, in line 1; merge them, or add the kind`},
		"two bodies":      {stream: happens + "---\n" + happens, want: `s.yaml:3: another document without kind precedes it, in line 1; merge them, or add the kind`},
		"another kind":    {stream: "kind: Pod\n---\n" + happens, want: `s.yaml:1: Pod: kind: "Pod" does not belong in a scenario; write SparkQueue, SparkFlavor or ScheduledSparkApplication, or remove it`},
		"another version": {stream: "apiVersion: v1\nkind: SparkQueue\n---\n" + happens, want: `s.yaml:1: SparkQueue: apiVersion: "v1" is not known; write sparkgate.io/v1alpha1`},
		"twice the same queue": {
			stream: "kind: SparkQueue\nmetadata: {name: q}\n---\nkind: SparkQueue\nmetadata: {name: q}\n---\n" + happens,
			want:   `s.yaml:5: SparkQueue q: metadata.name: another SparkQueue already has the name q; choose another, or put it under changes`,
		},

		"unknown key": {stream: "arrival: []", want: `s.yaml:1: arrival: unknown field "arrival": write arrivals, or remove it`},
		"unknown key of an arrival": {
			stream: arriving("runfor: 1m"),
			want:   `s.yaml:1: arrivals[0].runfor: unknown field "runfor": write runFor, or remove it`,
		},
		"a minimum above the count": {
			stream: arriving("podSets: [{name: driver, minCount: 2}]"),
			want:   `s.yaml:1: arrivals[0].podSets[0].minCount: 2 is not between 0 and count, or another pod set has one; correct or remove it`,
		},
		"unknown key of a pod set": {
			stream: arriving("podSets: [{name: driver, cpu: 1}]"),
			want:   `s.yaml:1: arrivals[0].podSets[0].cpu: unknown field "cpu": remove it, or move it to where it belongs`,
		},
		"unknown key of a namespace": {
			stream: happens + "namespaces: {spark: {team: a}}",
			want:   `s.yaml:2: namespaces.spark.team: unknown field "team": remove it, or move it to where it belongs`,
		},
		"unknown key of a queue": {
			stream: withQuota("resource: cpu, nominal: 1, borrow: 2"),
			want:   `s.yaml:3: SparkQueue q: spec.flavors[0].quotas[0].borrow: unknown field "borrow": remove it, or move it to where it belongs`,
		},
		"unknown key of a queue that is applied": {
			stream: changing("{apply: {kind: SparkQueue, metadata: {name: q}, spec: {Parent: root}}}"),
			want:   `s.yaml:2: SparkQueue q: spec.Parent: unknown field "Parent": write parent, or remove it`,
		},
		"unknown key of the metadata": {
			stream: "kind: SparkFlavor\nmetadata: {name: spot, label: {}}\n---\n" + happens,
			want:   `s.yaml:2: SparkFlavor spot: metadata.label: unknown field "label": write labels, or remove it`,
		},
		"key that stands twice":         {stream: "arrivals: []\narrivals: []\n", want: `s.yaml:2: the document cannot be read: yaml: unmarshal errors: line 2: key "arrivals" already set in map`},
		"key that stands twice in JSON": {stream: `{"arrivals": [], "arrivals": []}`, want: `s.yaml:1: arrivals: duplicate field`},

		"priority that is no number": {stream: arriving("priority: high"), want: `s.yaml:1: arrivals[0].priority: expected an integer (without quotes), found a string: "high"`},
		"priority that is too large": {stream: arriving("priority: 3000000000"), want: `s.yaml:1: arrivals[0].priority: expected an integer (without quotes), found an integer: 3000000000`},
		"name that looks like truth": {stream: arriving("name: on"), want: `s.yaml:1: arrivals[0].name: expected a string (in quotes), found a boolean: true`},
		"arrivals that are no list":  {stream: "arrivals: {}", want: `s.yaml:1: arrivals: expected a list, found an object: {}`},
		"requests that would wrap": {
			stream: arriving("name: a, podSets: [{name: d, requests: {memory: 10P}}]"),
			want:   `s.yaml:1: arrivals[0].podSets[0].requests.memory: value "10P" is above 8Pi, the most that is counted: set less`,
		},
		"a quota that would wrap": {
			stream: withQuota("resource: cpu, nominal: 1e16"),
			want:   `s.yaml:3: SparkQueue q: spec.flavors[0].quotas[0].nominal: value "10P" is above 9007199254740992m, the most that is counted: set less`,
		},
		"requests that are no map":      {stream: arriving("podSets: [{name: driver, requests: 1}]"), want: `s.yaml:1: arrivals[0].podSets[0].requests: expected an object, found an integer: 1`},
		"quantity that is a list":       {stream: arriving("podSets: [{name: driver, requests: {cpu: [1]}}]"), want: `s.yaml:1: arrivals[0].podSets[0].requests.cpu: expected a quantity such as 500m or 2Gi, found a list: [1]`},
		"fair sharing that is a number": {stream: withSpec("fairSharing: 1"), want: `s.yaml:3: SparkQueue q: spec.fairSharing: expected an object, found an integer: 1`},

		"no name":             {stream: arriving("name: ''"), want: `arrivals[0].name: is missing; give the application a name`},
		"slash in a name":     {stream: arriving("name: a/b"), want: `arrivals[0].name: default/a/b has a slash too many; write namespace and name apart`},
		"no queue":            {stream: arriving("queue: ''"), want: `arrivals[0].queue: is missing; name the queue that is asked`},
		"no time to run":      {stream: arriving("runFor: ''"), want: `s.yaml:1: arrivals[0].runFor: expected a duration such as 30s, 5m or 1h30m, found a string: ""`},
		"negative time":       {stream: arriving("at: -1s"), want: `arrivals[0].at: "-1s" is negative; write 0s or more`},
		"negative run":        {stream: arriving("runFor: -1s"), want: `arrivals[0].runFor: "-1s" is negative; write 0s or more`},
		"time without a unit": {stream: arriving("at: 5"), want: `s.yaml:1: arrivals[0].at: expected a duration such as 30s, 5m or 1h30m, found an integer: 5`},
		"the same name twice": {
			stream: "arrivals: [{name: a, queue: q, podSets: [{name: d}], runFor: 1s}, {name: a, namespace: default, queue: p, podSets: [{name: d}], runFor: 1s}]",
			want:   `s.yaml:1: arrivals[1].name: default/a already arrives as arrivals[0]; choose another name`,
		},
		"no pod set":             {stream: arriving("podSets: []"), want: `arrivals[0].podSets: is missing; list at least one`},
		"pod set without a name": {stream: arriving("podSets: [{}]"), want: `arrivals[0].podSets[0].name: is missing; name the pod set, such as driver or executor`},
		"pod sets of one name":   {stream: arriving("podSets: [{name: d}, {name: d}]"), want: `arrivals[0].podSets[1].name: "d" is listed twice; rename one`},
		"negative count":         {stream: arriving("podSets: [{name: d, count: -1}]"), want: `arrivals[0].podSets[0].count: -1 is negative; write 0 or more`},
		"bad quantity": {
			stream: arriving("podSets: [{name: d, requests: {cpu: two}}]"),
			want:   `s.yaml:1: arrivals[0].podSets[0].requests.cpu: expected a quantity such as 500m or 2Gi, found a string: "two"`,
		},
		"negative quantity": {stream: arriving("podSets: [{name: d, requests: {cpu: -1}}]"), want: `s.yaml:1: arrivals[0].podSets[0].requests.cpu: value "-1" is negative: set a quantity of zero or more`},
		"endless quantity":  {stream: arriving("podSets: [{name: d, requests: {cpu: 1e999999999}}]"), want: `s.yaml:1: arrivals[0].podSets[0].requests.cpu: value "1e999999999" has an exponent of more than two digits: set a quantity such as 500m or 2Gi`},
		"two points":        {stream: arriving("podSets: [{name: d, requests: {cpu: 1.2.3}}]"), want: `s.yaml:1: arrivals[0].podSets[0].requests.cpu: expected a quantity such as 500m or 2Gi, found a string: "1.2.3"`},
		"pods in a pod":     {stream: arriving("podSets: [{name: d, requests: {pods: 2}}]"), want: `requests.pods: every pod counts as 1; remove it and set count`},
		"nameless resource": {stream: arriving("podSets: [{name: d, requests: {'': 2}}]"), want: `podSets[0].requests: a resource has no name; write one, such as cpu`},

		"priority of the system": {
			stream: arriving("priorityClassName: system-node-critical"),
			want:   `arrivals[0].priorityClassName: priority class "system-node-critical" is not allowed in queue q: use one that does not begin with "system-"`,
		},
		"priority that its queue does not have": {
			stream: "kind: SparkQueue\nmetadata: {name: q}\nspec: {priorityClassNames: [low, normal]}\n---\n" + arriving("priorityClassName: high"),
			want:   `s.yaml:5: arrivals[0].priorityClassName: priority class "high" is not allowed in queue q: use one of "low, normal", or have an administrator add it to spec.priorityClassNames of queue q`,
		},

		"change of nothing":     {stream: changing("{at: 1m}"), want: `s.yaml:2: changes[0]: write either apply, with a manifest, or delete, with kind and name`},
		"change of two things":  {stream: changing("{apply: {}, delete: {}}"), want: `changes[0]: write either apply, with a manifest, or delete, with kind and name`},
		"negative time of one":  {stream: changing("{at: -1m, apply: {kind: SparkQueue, metadata: {name: x}}}"), want: `s.yaml:2: changes[0].at: "-1m0s" is negative; write 0s or more`},
		"applying another kind": {stream: changing("{apply: {kind: Pod}}"), want: `s.yaml:2: Pod: kind: "Pod" does not belong in a scenario; write SparkQueue, SparkFlavor or ScheduledSparkApplication, or remove it`},
		"applying a text":       {stream: changing("{apply: queue}"), want: `s.yaml:2: kind: "" does not belong in a scenario; write SparkQueue, SparkFlavor or ScheduledSparkApplication, or remove it`},
		"deleting another kind": {stream: changing("{delete: {kind: Pod, name: x}}"), want: `changes[0].delete.kind: "Pod" does not belong in a scenario; write SparkQueue or SparkFlavor`},
		"deleting without name": {stream: changing("{delete: {kind: SparkQueue}}"), want: `changes[0].delete.name: is missing; name what is deleted`},
		"deleting what is not":  {stream: changing("{at: 1m, delete: {kind: SparkQueue, name: x}}"), want: `changes[0].delete: SparkQueue x not found at 1m0s; correct the name or the time`},
		"deleting before it is": {stream: changing("{at: 2m, apply: {kind: SparkQueue, metadata: {name: x}}}, {at: 1m, delete: {kind: SparkQueue, name: x}}"), want: `changes[1].delete: SparkQueue x not found at 1m0s`},
		"deleting it twice":     {stream: changing("{apply: {kind: SparkFlavor, metadata: {name: x}}}, {delete: {kind: SparkFlavor, name: x}}, {delete: {kind: SparkFlavor, name: x}}"), want: `changes[2].delete: SparkFlavor x not found at 0s`},
		"unknown key of a change": {
			stream: changing("{at: 1m, remove: {}}"),
			want:   `s.yaml:2: changes[0].remove: unknown field "remove": remove it, or move it to where it belongs`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := parse(tc.stream)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}

// TestFindingsAreThoseOfLint: what is wrong with a queue or a flavor is found and worded as by sparkctl lint.
func TestFindingsAreThoseOfLint(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("{name: a, quotas: [{resource: cpu, nominal: 1}]}, ", 17)
	const limited = "flavors: [{name: default, quotas: [{resource: cpu, nominal: 1, borrowingLimit: 2, lendingLimit: 2}]}]"
	tests := map[string]string{
		"four at once":                  withSpec("parent: a.b, weight: 0, strategy: StrictFifo, stopPolicy: Stop"),
		"its own parent":                withSpec("parent: q"),
		"limits without a parent":       withSpec(limited),
		"unknown key":                   withQuota("resource: cpu, nominal: 1, borrow: 2"),
		"unknown key of the metadata":   "kind: SparkFlavor\nmetadata: {name: spot, label: {}}\n---\n" + happens,
		"a quota that would wrap":       withQuota("resource: cpu, nominal: 1e16"),
		"fair sharing that is a number": withSpec("fairSharing: 1"),
		"queue without a name":          "kind: SparkQueue\n---\n" + happens,
		"queue with a capital":          "kind: SparkQueue\nmetadata: {name: Team}\n---\n" + happens,
		"parent with a point":           withSpec("parent: a.b"),
		"weight of nothing":             withSpec("weight: 0"),
		"weight of too much":            withSpec("weight: 1000001"),
		"negative bound":                withSpec("maxRunning: -1"),
		"strategy":                      withSpec("strategy: StrictFifo"),
		"stop policy":                   withSpec("stopPolicy: Stop"),
		"preemption within a queue":     withSpec("preemption: {withinQueue: Any}"),
		"reclaim":                       withSpec("preemption: {reclaimWithinTree: Always}"),
		"preemption by borrowers":       withSpec("preemption: {borrowWithinTree: {policy: Any}}"),
		"selector":                      withSpec("namespaceSelector: {matchExpressions: [{key: a, operator: Like}]}"),
		"head timeout":                  withSpec("headTimeout: soon"),
		"negative head timeout":         withSpec("headTimeout: -1s"),
		"tiny head timeout":             withSpec("headTimeout: 1us"),
		"head timeout of ages":          withSpec("headTimeout: 1000000s"),
		"long head timeout":             withSpec("headTimeout: 1h1h1h1h1h1h1h1h1h1h1h"),
		"flavor without a name":         withSpec("flavors: [{quotas: [{resource: cpu, nominal: 1}]}]"),
		"flavor that stands twice":      withSpec("flavors: [{name: a, quotas: [{resource: cpu, nominal: 1}]}, {name: a, quotas: [{resource: cpu, nominal: 1}]}]"),
		"too many flavors":              withSpec("flavors: [" + many + "]"),
		"flavor without a quota":        withSpec("flavors: [{name: a}]"),
		"quota of no resource":          withQuota("nominal: 1"),
		"quota that stands twice":       withQuota("resource: cpu, nominal: 1}, {resource: cpu, nominal: 2"),
		"quota of nothing":              withQuota("resource: cpu"),
		"bad quota":                     withQuota("resource: cpu, nominal: 1 core"),
		"quota of many digits":          withQuota("resource: cpu, nominal: 9223372036854775807m"),
		"negative borrowing limit":      withQuota("resource: cpu, nominal: 1, borrowingLimit: -1"),
		"endless lending limit":         withQuota("resource: cpu, nominal: 1, lendingLimit: 1e999999999"),
		"the built-in flavor":           "kind: SparkFlavor\nmetadata: {name: default}\n---\n" + happens,
	}
	for name, stream := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream = "apiVersion: sparkgate.io/v1alpha1\n" + stream
			linted, err := offline.Lint([]offline.File{{Name: "s.yaml", Text: []byte(stream)}})
			if err != nil || len(linted.Findings) == 0 {
				t.Fatalf("lint finds %v, %v", linted.Findings, err)
			}
			var want []string
			for _, f := range linted.Findings {
				want = append(want, f.String())
			}
			_, _, err = parse(stream)
			if diff := cmp.Diff(strings.Join(want, "\n"), fmt.Sprint(err)); diff != "" {
				t.Errorf("findings (-lint +simulate):\n%s", diff)
			}
		})
	}
}

// TestAllMistakesAtOnce: mistakes are reported together, up to a limit.
func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := parse("kind: SparkQueue\nmetadata: {name: q}\nspec: {weight: 0}\n---\narrivals:\n" + strings.Repeat("- {}\n", 10))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "s.yaml:3: SparkQueue q: spec.weight: ") || !strings.HasPrefix(lines[1], "s.yaml:6: arrivals[0].name") ||
		lines[20] != "and 30 more" {
		t.Errorf("got %d lines:\n%v", len(lines), err)
	}
}
