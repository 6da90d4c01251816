// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

var planTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// queueManifest returns a queue with that many cpu, that reclaims nothing and preempts lower priorities of its own.
func queueManifest(name string, cpu int) string {
	return fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: %s}
spec:
  namespaceSelector: {}
  flavors: [{name: default, quotas: [{resource: cpu, nominal: "%d"}]}]
  preemption: {withinQueue: LowerPriority}
`, name, cpu)
}

// jobManifest returns a job of two cpu.
func jobManifest(name, queue, more string) string {
	return fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: %s, namespace: etl}
spec:
  type: Python
  sparkVersion: 4.1.4
  image: docker.io/apache/spark:4.1.4
  mainApplicationFile: local:///opt/spark/examples/src/main/python/pi.py
  driver: {cores: 1, memory: 1g}
  executor: {cores: 1, instances: 1, memory: 1g}
  queue: {name: %s%s}
`, name, queue, more)
}

func parsed[T any](t *testing.T, manifest string) T {
	t.Helper()
	var object T
	if err := yaml.UnmarshalStrict([]byte(manifest), &object); err != nil {
		t.Fatalf("%v in\n%s", err, manifest)
	}
	return object
}

// state of an application of the cluster.
type state func(t *testing.T, app *v1alpha1.SparkApplication)

// live returns an application of the cluster in a state.
func live(t *testing.T, manifest string, in state) v1alpha1.SparkApplication {
	t.Helper()
	app := parsed[v1alpha1.SparkApplication](t, manifest)
	hash, err := templatehash.Of(&app.Spec)
	if err != nil {
		t.Fatal(err)
	}
	app.UID, app.CreationTimestamp = types.UID(app.Name), metav1.NewTime(planTime.Add(-time.Hour))
	app.Status = v1alpha1.SparkApplicationStatus{TemplateHash: hash, Run: 1, Attempt: 1, Queue: app.Spec.Queue.Name}
	in(t, &app)
	return app
}

func requests() map[corev1.ResourceName]resource.Quantity {
	return map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("1"), "pods": resource.MustParse("1")}
}

func running(_ *testing.T, app *v1alpha1.SparkApplication) {
	app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.RunningReason}}
	app.Status.Grant = &v1alpha1.Grant{Gate: v1alpha1.GateEmbedded, Queue: app.Status.Queue, Run: 1, Attempt: 1, PodSets: []v1alpha1.PodSetGrant{
		{Name: "driver", Count: 1, Requests: requests()}, {Name: "executor", Count: 1, Requests: requests()},
	}}
}

func waiting(_ *testing.T, app *v1alpha1.SparkApplication) {
	app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.QueuedReason}}
	app.Status.Ask = &v1alpha1.Ask{Gate: string(v1alpha1.GateEmbedded), PodSets: []v1alpha1.PodSetAsk{
		{Name: "driver", Count: 1, Requests: requests()}, {Name: "executor", Count: 1, Requests: requests()},
	}}
}

func suspended(_ *testing.T, app *v1alpha1.SparkApplication) {
	app.Spec.Suspend = true
	app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.SuspendedReason}}
}

func ended(_ *testing.T, app *v1alpha1.SparkApplication) {
	app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.SucceededReason}}
}

// scheduleManifest returns a schedule of jobs with that many executors.
func scheduleManifest(executors int) string {
	return fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: ScheduledSparkApplication
metadata: {name: nightly, namespace: etl}
spec:
  schedule: "0 3 * * *"
  template:
    spec:
      type: Python
      sparkVersion: 4.1.4
      image: docker.io/apache/spark:4.1.4
      mainApplicationFile: local:///pi.py
      driver: {cores: 1, memory: 1g}
      executor: {cores: 1, instances: %d, memory: 1g}
      queue: {name: q}
`, executors)
}

// TestPlan: what files do to a queue of four cpu in which one job of two runs.
func TestPlan(t *testing.T) {
	t.Parallel()
	const urgent = ", priorityClassName: urgent"
	tests := map[string]struct {
		cluster map[string]state // jobs of queue q by name
		files   []string
		want    []string
	}{
		"nothing new":              {map[string]state{"old": running}, []string{jobManifest("old", "q", ""), queueManifest("q", 4)}, nil},
		"there is room":            {map[string]state{"old": running}, []string{jobManifest("new", "q", "")}, []string{"new Created Absent→Admitted "}},
		"the second has none":      {map[string]state{"old": running}, []string{jobManifest("new", "q", ""), jobManifest("newer", "q", "")}, []string{"new Created Absent→Admitted ", "newer Created Absent→Waiting WaitingForQuota"}},
		"those who wait are first": {map[string]state{"a": running, "b": running, "c": waiting}, []string{jobManifest("new", "q", ""), queueManifest("q", 6)}, []string{"new Created Absent→Waiting WaitingForQuota", "c  Waiting→Admitted "}},
		"it never fits":            {map[string]state{}, []string{strings.Replace(jobManifest("new", "q", ""), "instances: 1", "instances: 4", 1)}, []string{"new Created Absent→Refused ExceedsQuota"}},
		"higher priority":          {map[string]state{"a": running, "b": running}, []string{jobManifest("new", "q", urgent)}, []string{"new Created Absent→Admitted ", "*  Admitted→Preempted Preempted"}},
		"a lower priority":         {map[string]state{"a": running, "b": running, "c": waiting}, []string{jobManifest("a", "q", ", priorityClassName: low")}, []string{"a  Admitted→Preempted Preempted", "c  Waiting→Admitted "}},
		"less quota":               {map[string]state{"a": running, "b": running, "c": waiting}, []string{queueManifest("q", 1)}, []string{"c  Waiting→Refused ExceedsQuota"}},
		"it runs again":            {map[string]state{"old": ended}, []string{strings.Replace(jobManifest("old", "q", ""), "pi.py", "e.py", 1)}, []string{"old Rerun Absent→Admitted "}},
		"it ran":                   {map[string]state{"old": ended}, []string{jobManifest("old", "q", "")}, nil},
		"a running one is changed": {map[string]state{"old": running, "other": running}, []string{strings.Replace(jobManifest("old", "q", ""), "pi.py", "e.py", 1)}, []string{"old Rerun Admitted→Fits "}},
		"it is stopped for that":   {map[string]state{"old": running, "other": running}, []string{strings.Replace(jobManifest("old", "q", ""), "pi.py", "e.py", 1) + "  onTemplateChange: Restart\n"}, []string{"old Rerun Admitted→Admitted "}},
		"its next run never fits":  {map[string]state{"old": running}, []string{strings.Replace(jobManifest("old", "q", ""), "instances: 1", "instances: 4", 1)}, []string{"old Rerun Admitted→Refused ExceedsQuota"}},
		"changes are ignored":      {map[string]state{"old": running}, []string{strings.Replace(jobManifest("old", "q", ""), "pi.py", "e.py", 1) + "  onTemplateChange: Ignore\n"}, nil},
		"one is suspended":         {map[string]state{"a": running, "b": running, "c": waiting}, []string{jobManifest("a", "q", "") + "  suspend: true\n"}, []string{"a Suspended Admitted→Absent ", "c  Waiting→Admitted "}},
		"one is resumed":           {map[string]state{"a": suspended}, []string{jobManifest("a", "q", "")}, []string{"a Resumed Absent→Admitted "}},
		"one moves":                {map[string]state{"a": running, "b": running, "c": waiting}, []string{jobManifest("c", "fresh", ""), queueManifest("fresh", 2)}, []string{"c Moved Waiting→Admitted "}},
		"no such queue":            {map[string]state{}, []string{jobManifest("new", "nowhere", "")}, []string{"new Created Absent→Refused ReferenceNotFound"}},
		"a queue of the files":     {map[string]state{}, []string{jobManifest("new", "fresh", ""), queueManifest("fresh", 2)}, []string{"new Created Absent→Admitted "}},
		"another system decides":   {map[string]state{}, []string{jobManifest("new", "q", ", gate: Kueue")}, []string{"new Created Absent→Elsewhere "}},
		"suspended":                {map[string]state{}, []string{jobManifest("new", "q", "") + "  suspend: true\n"}, []string{"new Created Absent→Absent "}},
		"a schedule that fits":     {map[string]state{"a": running, "b": running}, []string{scheduleManifest(3)}, []string{"nightly Updated Absent→Fits "}},
		"a schedule that does not": {map[string]state{}, []string{scheduleManifest(4)}, []string{"nightly Updated Absent→Refused ExceedsQuota"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := offline.Live{
				Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 4))}, Priorities: map[string]int32{"urgent": 1000, "low": -10}, Now: planTime,
			}
			for job, in := range tt.cluster {
				cluster.Applications = append(cluster.Applications, live(t, jobManifest(job, "q", ""), in))
			}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(strings.Join(tt.files, "---\n"))}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, e := range plan.Effects {
				if i < len(tt.want) && strings.HasPrefix(tt.want[i], "*") { // any of them
					e.Name = "*"
				}
				got = append(got, fmt.Sprintf("%s %s %s→%s %s", e.Name, e.Change, e.Before, e.After, e.Reason))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q\n%+v", got, tt.want, plan.Effects)
			}
		})
	}
}

// TestPlanOfANamespace: one that the files create or label counts with its labels and annotations, also for those that wait in it.
func TestPlanOfANamespace(t *testing.T) {
	t.Parallel()
	queue := func(selector string) v1alpha1.SparkQueue {
		return parsed[v1alpha1.SparkQueue](t, strings.Replace(queueManifest("q", 4), "namespaceSelector: {}", "namespaceSelector: {matchLabels: "+selector+"}", 1))
	}
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: etl, labels: {team: a}, annotations: {sparkgate.io/default-queue: q}}\n---\n"
	anyQueue := strings.Replace(jobManifest("new", "q", ""), "  queue: {name: q}\n", "", 1)
	known := map[string]metav1.ObjectMeta{"etl": {Name: "etl", Labels: map[string]string{"stage": "test"}}}
	for name, tt := range map[string]struct {
		selector   string
		namespaces map[string]metav1.ObjectMeta
		files      string
		waits      bool
		want       []string
	}{
		"one without labels":   {"{team: a}", known, jobManifest("new", "q", ""), false, []string{"new Created Absent→Refused NamespaceNotAllowed"}},
		"one that is created":  {"{team: a}", nil, namespace + jobManifest("new", "q", ""), false, []string{"new Created Absent→Admitted "}},
		"its queue":            {"{team: a}", nil, namespace + anyQueue, false, []string{"new Created Absent→Admitted "}},
		"one that is labelled": {"{team: a, stage: test}", known, namespace, true, []string{"old  Refused→Admitted "}},
		"one by its name":      {"{kubernetes.io/metadata.name: etl}", nil, jobManifest("new", "q", ""), false, []string{"new Created Absent→Admitted "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := offline.Live{Queues: []v1alpha1.SparkQueue{queue(tt.selector)}, Namespaces: tt.namespaces, Now: planTime}
			if tt.waits {
				cluster.Applications = []v1alpha1.SparkApplication{live(t, jobManifest("old", "q", ""), waiting)}
			}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(tt.files)}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				got = append(got, fmt.Sprintf("%s %s %s→%s %s", e.Name, e.Change, e.Before, e.After, e.Reason))
			}
			if !slices.Equal(got, tt.want) || len(known["etl"].Labels) != 1 {
				t.Errorf("got  %q\nwant %q\n%+v", got, tt.want, plan.Effects)
			}
		})
	}
}

// TestPlanNamesWhatChanges: a queue that the files have as it is in the cluster is not among those that they change.
func TestPlanNamesWhatChanges(t *testing.T) {
	t.Parallel()
	flavor := "apiVersion: sparkgate.io/v1alpha1\nkind: SparkFlavor\nmetadata: {name: %s}\nspec: {nodeLabels: {pool: spot}}\n"
	cluster := offline.Live{
		Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 4)), parsed[v1alpha1.SparkQueue](t, queueManifest("r", 4))}, Now: planTime,
		Flavors: []v1alpha1.SparkFlavor{parsed[v1alpha1.SparkFlavor](t, fmt.Sprintf(flavor, "spot"))},
	}
	files := strings.Join([]string{queueManifest("q", 4), queueManifest("r", 5), queueManifest("s", 1), fmt.Sprintf(flavor, "spot"), fmt.Sprintf(flavor, "other")}, "---\n")
	plan, err := offline.NewPlan(cluster, []offline.File{{Name: "queues.yaml", Text: []byte(files)}}, offline.PlanOptions{})
	if err != nil || !slices.Equal(plan.Queues, []string{"r", "s"}) || !slices.Equal(plan.Flavors, []string{"other"}) {
		t.Errorf("queues %q, flavors %q, %v", plan.Queues, plan.Flavors, err)
	}
}

// TestPlanOfMistakes: files that the operator would refuse are not a plan.
func TestPlanOfMistakes(t *testing.T) {
	t.Parallel()
	_, err := offline.NewPlan(offline.Live{Now: planTime}, []offline.File{{Name: "jobs.yaml", Text: []byte(strings.Replace(jobManifest("new", "q", ""), "Python", "Pyton", 1))}}, offline.PlanOptions{})
	if err == nil || !strings.Contains(err.Error(), "jobs.yaml:5: SparkApplication new: spec.type: ") {
		t.Errorf("got %v", err)
	}
}

// TestPlanKeepsNamespaces: what a namespace says of gate and queue counts, and files without namespace go where they
// would be applied.
func TestPlanKeepsNamespaces(t *testing.T) {
	t.Parallel()
	cluster := offline.Live{
		Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 4))}, Now: planTime,
		Namespaces: map[string]metav1.ObjectMeta{"ads": {Name: "ads", Annotations: map[string]string{v1alpha1.DefaultQueueAnnotation: "q"}}},
	}
	manifest := strings.Replace(strings.Replace(jobManifest("new", "q", ""), ", namespace: etl", "", 1), "  queue: {name: q}\n", "", 1)
	plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(manifest)}}, offline.PlanOptions{Namespace: "ads"})
	if err != nil || len(plan.Effects) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if e := plan.Effects[0]; e.Namespace != "ads" || e.Queue != "q" || e.After != offline.Admitted {
		t.Errorf("%+v", e)
	}
}

// TestPlanPreemptsTheNewest: of equals the one that was admitted last is preempted, as by the operator.
func TestPlanPreemptsTheNewest(t *testing.T) {
	t.Parallel()
	for newest, minutes := range map[string][]int{"a": {3, 1, 2}, "b": {1, 3, 2}, "c": {1, 2, 3}} {
		cluster := offline.Live{
			Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 6))}, Priorities: map[string]int32{"urgent": 1000}, Now: planTime,
		}
		for i, name := range []string{"a", "b", "c"} {
			app := live(t, jobManifest(name, "q", ""), running)
			at := metav1.NewTime(planTime.Add(time.Duration(minutes[i]-60) * time.Minute))
			app.Status.Times.Admitted = &at
			cluster.Applications = append(cluster.Applications, app)
		}
		files := []offline.File{{Name: "jobs.yaml", Text: []byte(jobManifest("new", "q", ", priorityClassName: urgent"))}}
		plan, err := offline.NewPlan(cluster, files, offline.PlanOptions{})
		if err != nil || len(plan.Effects) != 2 {
			t.Fatalf("%+v, %v", plan.Effects, err)
		}
		if e := plan.Effects[1]; e.Name != newest || e.After != offline.Preempted {
			t.Errorf("%s is %s, want %s to be preempted", e.Name, e.After, newest)
		}
	}
}

// TestPlanWarnsOfAClosedQueue: a plan has the warnings of lint about files that do not fit together.
func TestPlanWarnsOfAClosedQueue(t *testing.T) {
	t.Parallel()
	const files = `apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: closed}
spec: {flavors: [{name: default, quotas: [{resource: memory, nominal: 2Gi}, {resource: cpu, nominal: "2"}]}]}
---
apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: outside, namespace: default}
spec: {queue: {name: closed}, type: Python, sparkVersion: 4.1.4, image: spark, mainApplicationFile: "local:///a.py", driver: {serviceAccountName: spark}}
`
	plan, err := offline.NewPlan(offline.Live{Now: planTime}, []offline.File{{Name: "f.yaml", Text: []byte(files)}}, offline.PlanOptions{Namespace: "default"})
	if err != nil || len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0].Message, "queue closed admits no namespace") {
		t.Errorf("warnings %v, error %v", plan.Warnings, err)
	}
}
