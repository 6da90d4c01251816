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
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

const happens = "arrivals: [{at: 0s, name: a, queue: q, podSets: [{name: driver, requests: {cpu: 1}}], runFor: 1m}]\n"

func TestParse(t *testing.T) {
	t.Parallel()
	got, _, err := Parse(`# comments are no document
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
- {name: first, queue: team, podSets: [{name: driver}], runFor: 90}
- at: 1h30m
  name: second
  namespace: spark
  queue: team
  priority: -5
  podSets:
  - {name: driver, count: 2, requests: {cpu: 1.5, memory: 1Gi, pods: 1}}
  - {name: executor, count: 0, requests: {cpu: "2"}}
  runFor: 0s
changes:
- {at: 1m, apply: {kind: SparkFlavor, metadata: {name: gpu}}}
- {at: 2m, delete: {kind: SparkQueue, name: team}}
- {delete: {kind: SparkFlavor, name: spot}}
- {at: 3m, apply: {kind: SparkQueue, metadata: {name: team}, spec: {parent: root}}}
`)
	if err == nil || err.Error() != `document 3 (line 12): arrivals[0].runFor: invalid duration "90"; write it with its unit, such as 30s, 5m or 1h30m` {
		t.Errorf("error: got %v", err)
	}
	ask := func(namespace, name string, priority int32, sets ...queueing.PodSet) queueing.Ask {
		labels := map[string]string{corev1.LabelMetadataName: namespace}
		if namespace == "spark" {
			labels["team"] = "a"
		}
		return queueing.Ask{Key: queueing.Key{Namespace: namespace, Name: name}, Queue: "team", Priority: priority, NamespaceLabels: labels, PodSets: sets}
	}
	config := func(name string, spec v1alpha1.SparkQueueSpec) embedded.QueueConfig {
		return convert.QueueConfig(&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec})
	}
	replaced := config("team", v1alpha1.SparkQueueSpec{Parent: "root"})
	want := simulator.Scenario{
		Queues: []embedded.QueueConfig{config("team", v1alpha1.SparkQueueSpec{Flavors: []v1alpha1.FlavorQuota{
			{Name: "spot", Quotas: []v1alpha1.ResourceQuota{{Resource: "cpu", Nominal: resource.MustParse("1500m")}}},
		}})},
		Flavors: []embedded.FlavorConfig{{Name: "spot", NodeLabels: map[string]string{"lifecycle": "spot"}}},
		Arrivals: []simulator.Arrival{
			{Ask: ask("default", "first", 0, queueing.PodSet{Name: "driver", Count: 1, Requests: queueing.Resources{"pods": 1}})},
			{At: 90 * time.Minute, Ask: ask("spark", "second", -5,
				queueing.PodSet{Name: "driver", Count: 2, Requests: queueing.Resources{"cpu": 1500, "memory": 1 << 30, "pods": 1}},
				queueing.PodSet{Name: "executor", Requests: queueing.Resources{"cpu": 2000, "pods": 1}})},
		},
		Changes: []simulator.Change{
			{At: time.Minute, Flavor: &embedded.FlavorConfig{Name: "gpu"}},
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
	got, _, err := Parse(`{"kind": "SparkQueue", "metadata": {"name": "q"}}
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

// TestMistakes: each mistake is reported with its document, its key, and a remedy.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stream string
		want   string
	}{
		"nothing at all":  {stream: "# nothing\n", want: `no document says what happens; add one without kind, with the key arrivals or schedules`},
		"no YAML":         {stream: happens + "---\n---\na: [\n", want: `document 2 (line 3): yaml: line 4: did not find expected node content`},
		"not a map":       {stream: "- a\n---\n" + happens, want: `document 1 (line 1): write keys and values, or remove the document`},
		"two bodies":      {stream: happens + "---\n" + happens, want: `document 2 (line 2): another document without kind precedes it, in line 1; merge them, or add the kind`},
		"another kind":    {stream: "kind: Pod\n---\n" + happens, want: `document 1 (line 1): kind: "Pod" does not belong in a scenario; write SparkQueue, SparkFlavor or ScheduledSparkApplication, or remove it`},
		"another version": {stream: "apiVersion: v1\nkind: SparkQueue\n---\n" + happens, want: `document 1 (line 1): apiVersion: "v1" is not known; write sparkgate.io/v1alpha1`},
		"twice the same queue": {
			stream: "kind: SparkQueue\nmetadata: {name: q}\n---\nkind: SparkQueue\nmetadata: {name: q}\n---\n" + happens,
			want:   `document 2 (line 3): metadata.name: another SparkQueue already has the name q; choose another, or put it under changes`,
		},

		"unknown key": {stream: "arrival: []", want: `document 1 (line 1): arrival: the key is not known; remove it or correct it to one of arrivals, changes, namespaces, schedules`},
		"unknown key of an arrival": {
			stream: arriving("runfor: 1m"),
			want:   `document 1 (line 1): arrivals[0].runfor: the key is not known; remove it or correct it to one of at, name, namespace, podSets, priority, priorityClassName, queue, runFor`,
		},
		"unknown key of a pod set": {
			stream: arriving("podSets: [{name: driver, cpu: 1}]"),
			want:   `document 1 (line 1): arrivals[0].podSets[0].cpu: the key is not known; remove it or correct it to one of count, name, requests`,
		},
		"unknown key of a namespace": {
			stream: happens + "namespaces: {spark: {team: a}}",
			want:   `document 1 (line 1): namespaces.spark.team: the key is not known; remove it or correct it to one of labels`,
		},
		"unknown key of a queue": {
			stream: withQuota("resource: cpu, nominal: 1, borrow: 2"),
			want:   `document 1 (line 1): spec.flavors[0].quotas[0].borrow: the key is not known; remove it or correct it to one of borrowingLimit, lendingLimit, nominal, resource`,
		},
		"unknown key of a queue that is applied": {
			stream: changing("{apply: {kind: SparkQueue, metadata: {name: q}, spec: {Parent: root}}}"),
			want: `document 1 (line 1): changes[0].apply.spec.Parent: the key is not known; remove it or correct it to one of fairSharing, flavorPreference, flavors, headTimeout, ` +
				`maxRunning, namespaceSelector, parent, preemption, priorityClassNames, stopPolicy, strategy, unlimited, weight`,
		},
		"unknown key of the metadata": {
			stream: "kind: SparkFlavor\nmetadata: {name: spot, label: {}}\n---\n" + happens,
			want:   `document 1 (line 1): metadata.label: the key is not known; remove it or correct it to one of annotations,`,
		},
		"key that stands twice":         {stream: "arrivals: []\narrivals: []\n", want: `document 1 (line 1): yaml: unmarshal errors:` + "\n" + `  line 2: key "arrivals" already set in map`},
		"key that stands twice in JSON": {stream: `{"arrivals": [], "arrivals": []}`, want: `document 1 (line 1): arrivals: the key is given twice; remove one`},

		"priority that is no number": {stream: arriving("priority: high"), want: `document 1 (line 1): arrivals.priority: unexpected string; write a whole number of 32 bits`},
		"priority that is too large": {stream: arriving("priority: 3000000000"), want: `arrivals.priority: unexpected number 3000000000; write a whole number of 32 bits`},
		"name that looks like truth": {stream: arriving("name: on"), want: `arrivals.name: unexpected bool; write a text, in quotes if it looks like a number`},
		"arrivals that are no list":  {stream: "arrivals: {}", want: `arrivals: unexpected object; write a list`},
		"requests that would wrap": {
			stream: arriving("name: a, podSets: [{name: d, requests: {memory: 10P}}]"),
			want:   `document 1 (line 1): arrivals[0].podSets[0].requests.memory: value "10P" is above 8Pi, the most that is counted: set less`,
		},
		"a quota that would wrap": {
			stream: withQuota("resource: cpu, nominal: 1e16"),
			want:   `document 1 (line 1): spec.flavors[0].quotas[0].nominal: value "10P" is above 9007199254740992m, the most that is counted: set less`,
		},
		"requests that are no map":      {stream: arriving("podSets: [{name: driver, requests: 1}]"), want: `arrivals.podSets.requests: unexpected number; write keys and values`},
		"quantity that is a list":       {stream: arriving("podSets: [{name: driver, requests: {cpu: [1]}}]"), want: `unexpected list or map; write a text`},
		"fair sharing that is a number": {stream: withSpec("fairSharing: 1"), want: `document 1 (line 1): spec.fairSharing: unexpected number; write keys and values`},

		"no name":             {stream: arriving("name: ''"), want: `arrivals[0].name: is missing; give the application a name`},
		"slash in a name":     {stream: arriving("name: a/b"), want: `arrivals[0].name: default/a/b has a slash too many; write namespace and name apart`},
		"no queue":            {stream: arriving("queue: ''"), want: `arrivals[0].queue: is missing; name the queue that is asked`},
		"no time to run":      {stream: arriving("runFor: ''"), want: `arrivals[0].runFor: is missing; say how long it runs once it is admitted, such as 10m`},
		"negative time":       {stream: arriving("at: -1s"), want: `arrivals[0].at: "-1s" is negative; write 0s or more`},
		"negative run":        {stream: arriving("runFor: -1s"), want: `arrivals[0].runFor: "-1s" is negative; write 0s or more`},
		"time without a unit": {stream: arriving("at: 5"), want: `arrivals[0].at: invalid duration "5"; write it with its unit, such as 30s, 5m or 1h30m`},
		"the same name twice": {
			stream: "arrivals: [{name: a, queue: q, podSets: [{name: d}], runFor: 1s}, {name: a, namespace: default, queue: p, podSets: [{name: d}], runFor: 1s}]",
			want:   `document 1 (line 1): arrivals[1].name: default/a already arrives as arrivals[0]; choose another name`,
		},
		"no pod set":             {stream: arriving("podSets: []"), want: `arrivals[0].podSets: is missing; list at least one`},
		"pod set without a name": {stream: arriving("podSets: [{}]"), want: `arrivals[0].podSets[0].name: is missing; name the pod set, such as driver or executor`},
		"pod sets of one name":   {stream: arriving("podSets: [{name: d}, {name: d}]"), want: `arrivals[0].podSets[1].name: "d" is listed twice; rename one`},
		"negative count":         {stream: arriving("podSets: [{name: d, count: -1}]"), want: `arrivals[0].podSets[0].count: -1 is negative; write 0 or more`},
		"bad quantity": {
			stream: arriving("podSets: [{name: d, requests: {cpu: two}}]"),
			want:   `arrivals[0].podSets[0].requests.cpu: invalid quantity "two"; write a quantity of zero or more such as 8, 500m or 32Gi`,
		},
		"negative quantity": {stream: arriving("podSets: [{name: d, requests: {cpu: -1}}]"), want: `requests.cpu: invalid quantity "-1"; write a quantity of zero or more`},
		"endless quantity":  {stream: arriving("podSets: [{name: d, requests: {cpu: 1e999999999}}]"), want: `requests.cpu: invalid quantity "1e999999999"; write a quantity of zero or more`},
		"two points":        {stream: arriving("podSets: [{name: d, requests: {cpu: 1.2.3}}]"), want: `requests.cpu: invalid quantity "1.2.3"; write a quantity of zero or more`},
		"pods in a pod":     {stream: arriving("podSets: [{name: d, requests: {pods: 2}}]"), want: `requests.pods: every pod counts as 1; remove it and set count`},
		"nameless resource": {stream: arriving("podSets: [{name: d, requests: {'': 2}}]"), want: `podSets[0].requests: a resource has no name; write one, such as cpu`},

		"priority of the system": {
			stream: arriving("priorityClassName: system-node-critical"),
			want:   `arrivals[0].priorityClassName: priority class "system-node-critical" is not allowed in queue q: use one that does not begin with "system-"`,
		},
		"priority that its queue does not have": {
			stream: "kind: SparkQueue\nmetadata: {name: q}\nspec: {priorityClassNames: [low, normal]}\n---\n" + arriving("priorityClassName: high"),
			want:   `document 2 (line 4): arrivals[0].priorityClassName: priority class "high" is not allowed in queue q: use one of "low, normal", or have an administrator add it`,
		},

		"change of nothing":     {stream: changing("{at: 1m}"), want: `document 1 (line 1): changes[0]: write either apply, with a manifest, or delete, with kind and name`},
		"change of two things":  {stream: changing("{apply: {}, delete: {}}"), want: `changes[0]: write either apply, with a manifest, or delete, with kind and name`},
		"negative time of one":  {stream: changing("{at: -1m, apply: {kind: SparkQueue, metadata: {name: x}}}"), want: `changes[0].at: "-1m" is negative; write 0s or more`},
		"applying another kind": {stream: changing("{apply: {kind: Pod}}"), want: `changes[0].apply.kind: "Pod" does not belong in a scenario; write SparkQueue, SparkFlavor or ScheduledSparkApplication, or remove it`},
		"applying a text":       {stream: changing("{apply: queue}"), want: `changes[0].apply: write the manifest of a SparkQueue or a SparkFlavor`},
		"deleting another kind": {stream: changing("{delete: {kind: Pod, name: x}}"), want: `changes[0].delete.kind: "Pod" does not belong in a scenario; write SparkQueue or SparkFlavor`},
		"deleting without name": {stream: changing("{delete: {kind: SparkQueue}}"), want: `changes[0].delete.name: is missing; name what is deleted`},
		"deleting what is not":  {stream: changing("{at: 1m, delete: {kind: SparkQueue, name: x}}"), want: `changes[0].delete: there is no SparkQueue x at 1m0s; correct the name or the time`},
		"deleting before it is": {stream: changing("{at: 2m, apply: {kind: SparkQueue, metadata: {name: x}}}, {at: 1m, delete: {kind: SparkQueue, name: x}}"), want: `changes[1].delete: there is no SparkQueue x at 1m0s`},
		"deleting it twice":     {stream: changing("{apply: {kind: SparkFlavor, metadata: {name: x}}}, {delete: {kind: SparkFlavor, name: x}}, {delete: {kind: SparkFlavor, name: x}}"), want: `changes[2].delete: there is no SparkFlavor x at 0s`},
		"unknown key of a change": {
			stream: changing("{at: 1m, remove: {}}"),
			want:   `changes[0].remove: the key is not known; remove it or correct it to one of apply, at, delete`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Parse(tc.stream)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}

// TestRulesOfTheAPI: a manifest that the API server would reject cannot be simulated either.
func TestRulesOfTheAPI(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("{name: a, quotas: [{resource: cpu, nominal: 1}]}, ", 17)
	tests := map[string]struct {
		stream string
		want   string
	}{
		"queue without a name":      {stream: "kind: SparkQueue\n---\n" + happens, want: `metadata.name: invalid name ""; write at most 63 lower-case letters`},
		"queue with a capital":      {stream: "kind: SparkQueue\nmetadata: {name: Team}\n---\n" + happens, want: `metadata.name: invalid name "Team"`},
		"parent with a point":       {stream: withSpec("parent: a.b"), want: `spec.parent: invalid name "a.b"`},
		"weight of nothing":         {stream: withSpec("weight: 0"), want: `spec.weight: 0 is out of range; write a whole number from 1 to 1000000`},
		"weight of too much":        {stream: withSpec("weight: 1000001"), want: `spec.weight: 1000001 is out of range`},
		"negative bound":            {stream: withSpec("maxRunning: -1"), want: `spec.maxRunning: -1 is negative; write 0 or more`},
		"strategy":                  {stream: withSpec("strategy: StrictFifo"), want: `spec.strategy: "StrictFifo" is not known; write BestEffortFIFO or StrictFIFO`},
		"stop policy":               {stream: withSpec("stopPolicy: Stop"), want: `spec.stopPolicy: "Stop" is not known; write None or Hold or HoldAndDrain`},
		"preemption within a queue": {stream: withSpec("preemption: {withinQueue: Any}"), want: `spec.preemption.withinQueue: "Any" is not known; write Never or LowerPriority or LowerOrNewerEqualPriority`},
		"reclaim":                   {stream: withSpec("preemption: {reclaimWithinTree: Always}"), want: `spec.preemption.reclaimWithinTree: "Always" is not known; write Never or LowerPriority or Any`},
		"preemption by borrowers":   {stream: withSpec("preemption: {borrowWithinTree: {policy: Any}}"), want: `spec.preemption.borrowWithinTree.policy: "Any" is not known; write Never or LowerPriority`},
		"selector":                  {stream: withSpec("namespaceSelector: {matchExpressions: [{key: a, operator: Like}]}"), want: `spec.namespaceSelector: "Like" is not a valid label selector operator; correct the selector`},
		"head timeout":              {stream: withSpec("headTimeout: soon"), want: `time: invalid duration "soon"; correct the value`},
		"negative head timeout":     {stream: withSpec("headTimeout: -1s"), want: `spec.headTimeout: invalid duration "-1s"; write one such as 90s, 10m or 1h30m, in numbers of at most six digits`},
		"tiny head timeout":         {stream: withSpec("headTimeout: 1us"), want: `spec.headTimeout: invalid duration "1us"; write one such as`},
		"head timeout of ages":      {stream: withSpec("headTimeout: 1000000s"), want: `spec.headTimeout: invalid duration "1000000s"; write one such as`},
		"long head timeout":         {stream: withSpec("headTimeout: 1h1h1h1h1h1h1h1h1h1h1h"), want: `spec.headTimeout: invalid duration "1h1h1h1h1h1h1h1h1h1h1h"; write one such as`},
		"flavor without a name":     {stream: withSpec("flavors: [{quotas: [{resource: cpu, nominal: 1}]}]"), want: `spec.flavors[0].name: invalid name ""; write default or that of a SparkFlavor`},
		"flavor that stands twice":  {stream: withSpec("flavors: [{name: a, quotas: [{resource: cpu, nominal: 1}]}, {name: a, quotas: [{resource: cpu, nominal: 1}]}]"), want: `spec.flavors[1].name: "a" is listed twice; merge them`},
		"too many flavors":          {stream: withSpec("flavors: [" + many + "]"), want: `spec.flavors: there are 17; write at most 16`},
		"flavor without a quota":    {stream: withSpec("flavors: [{name: a}]"), want: `spec.flavors[0].quotas: there are 0; write 1 to 16`},
		"quota of no resource":      {stream: withQuota("nominal: 1"), want: `spec.flavors[0].quotas[0].resource: invalid resource name ""`},
		"quota that stands twice":   {stream: withQuota("resource: cpu, nominal: 1}, {resource: cpu, nominal: 2"), want: `spec.flavors[0].quotas[1].resource: "cpu" is listed twice; merge them`},
		"quota of nothing":          {stream: withQuota("resource: cpu"), want: `spec.flavors[0].quotas[0].nominal: is missing; write a quantity of zero or more`},
		"bad quota":                 {stream: withQuota("resource: cpu, nominal: 1 core"), want: `spec.flavors[0].quotas[0].nominal: invalid quantity "1 core"; write a quantity of zero or more such as 8, 500m or 32Gi`},
		"quota of many digits":      {stream: withQuota("resource: cpu, nominal: 9223372036854775807m"), want: `spec.flavors[0].quotas[0].nominal: invalid quantity "9223372036854775807m": it has too many digits; write at most 18`},
		"negative borrowing limit":  {stream: withQuota("resource: cpu, nominal: 1, borrowingLimit: -1"), want: `spec.flavors[0].quotas[0].borrowingLimit: invalid quantity "-1"`},
		"endless lending limit":     {stream: withQuota("resource: cpu, nominal: 1, lendingLimit: 1e999999999"), want: `spec.flavors[0].quotas[0].lendingLimit: invalid quantity "1e999999999"`},
		"the built-in flavor":       {stream: "kind: SparkFlavor\nmetadata: {name: default}\n---\n" + happens, want: `metadata.name: the flavor default is built in; choose another name`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Parse(tc.stream)
			if err == nil || !strings.Contains(err.Error(), "document 1 (line 1): ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}

// TestAllMistakesAtOnce: mistakes are reported together, up to a limit.
func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := Parse("kind: SparkQueue\nmetadata: {name: q}\nspec: {weight: 0}\n---\narrivals:\n" + strings.Repeat("- {}\n", 10))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "document 1") || !strings.HasPrefix(lines[1], "document 2 (line 4): arrivals[0].name") ||
		lines[20] != "and 30 more" {
		t.Errorf("got %d lines:\n%v", len(lines), err)
	}
}

// TestWarnings: the queue's controller warns of the same fields, and also applies the rest.
func TestWarnings(t *testing.T) {
	t.Parallel()
	limit := "flavors: [{name: default, quotas: [{resource: cpu, nominal: 1, %s: 2}]}]"
	for spec, want := range map[string]string{
		fmt.Sprintf(limit, "borrowingLimit"):                    "document 1 (line 1): spec.flavors[0].quotas[0].borrowingLimit: it limits nothing, because the queue has no parent",
		fmt.Sprintf(limit, "lendingLimit"):                      "document 1 (line 1): spec.flavors[0].quotas[0].lendingLimit: it limits nothing, because the queue has no parent",
		"parent: root, " + fmt.Sprintf(limit, "borrowingLimit"): "",
		"headTimeout: 1m":                                       "",
		"":                                                      "",
	} {
		_, warnings, err := Parse(withSpec(spec))
		if err != nil || strings.Join(warnings, "\n") != want {
			t.Errorf("%q: got %q, %v; want %q", spec, warnings, err, want)
		}
	}
}
