// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestPlanKeepsPolicies: what administrators do not let a namespace or the applications of a queue have is refused in a plan
// as by the operator, whether the files say so or the cluster.
func TestPlanKeepsPolicies(t *testing.T) {
	t.Parallel()
	annotated := func(key, value string) map[string]metav1.ObjectMeta {
		return map[string]metav1.ObjectMeta{"etl": {Name: "etl", Annotations: map[string]string{key: value}}}
	}
	listed := func(classes string) string { return queueManifest("q", 4) + "  priorityClassNames: " + classes + "\n" }
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: etl, annotations: {%s: %q}}\n---\n"
	critical := jobManifest("new", "q", ", priorityClassName: system-node-critical")
	template := strings.Replace(jobManifest("new", "q", ""), "driver: {cores: 1, memory: 1g}",
		"driver: {cores: 1, memory: 1g, template: {spec: {priorityClassName: system-node-critical}}}", 1)
	for name, tt := range map[string]struct {
		queue      string
		namespaces map[string]metav1.ObjectMeta
		files      string
		waits      bool
		want       []string
	}{
		"the queue is not allowed": {queueManifest("q", 4), annotated("sparkgate.io/allowed-queues", "other"), jobManifest("new", "q", ""), false,
			[]string{`new Created Absent→Refused InvalidSpec: spec.queue.name: queue "q" is not allowed in namespace etl: use one of "other", or have an administrator add it to the namespace's annotation sparkgate.io/allowed-queues`}},
		"the queue is allowed": {queueManifest("q", 4), annotated("sparkgate.io/allowed-queues", "other, q"), jobManifest("new", "q", ""), false, []string{"new Created Absent→Admitted : "}},
		"it is no longer allowed": {queueManifest("q", 4), nil, fmt.Sprintf(namespace, "sparkgate.io/allowed-queues", "other"), true,
			[]string{`old  Waiting→Refused InvalidSpec: spec.queue.name: queue "q" is not allowed`}},
		"its class is no longer allowed": {queueManifest("q", 4), nil, listed("[low]"), true,
			[]string{`old  Waiting→Refused InvalidSpec: spec.queue.priorityClassName: priority class "urgent" is not allowed in queue q: use one of "low"`}},
		"no class is allowed any longer": {queueManifest("q", 4), nil, listed("[]"), true,
			[]string{`old  Waiting→Refused InvalidSpec: spec.queue.priorityClassName: priority class "urgent" is not allowed in queue q: remove it`}},
		"the next run may not": {queueManifest("q", 4), annotated("sparkgate.io/allowed-queues", ""), scheduleManifest(1), false,
			[]string{`nightly Updated Absent→Refused InvalidSpec: spec.queue.name: queue "q" is not allowed in namespace etl: have an administrator add it`}},
		"the gate is not allowed": {queueManifest("q", 4), annotated("sparkgate.io/allowed-gates", "Embedded"), jobManifest("new", "q", ", gate: Kueue"), false,
			[]string{`new Created Absent→Refused InvalidSpec: spec.queue.gate: gate "Kueue" is not allowed in namespace etl`}},
		"a gate in a guarded namespace": {queueManifest("q", 4), map[string]metav1.ObjectMeta{"etl": {Name: "etl", Labels: map[string]string{v1alpha1.GuardedLabel: "true"}}},
			jobManifest("new", "q", ", gate: YuniKorn"), false, []string{"new Created Absent→Refused InvalidSpec: gate YuniKorn (spec.queue.gate) is not allowed in namespace etl, which is guarded (label sparkgate.io/guarded): set spec.queue.gate to Embedded or Kueue"}},
		"a class of the system": {queueManifest("q", 4), nil, critical, false,
			[]string{`new Created Absent→Refused InvalidSpec: spec.queue.priorityClassName: priority class "system-node-critical" is not allowed in queue q: use one that does not begin with "system-"`}},
		"a class in a template": {queueManifest("q", 4), nil, template, false,
			[]string{`new Created Absent→Refused InvalidSpec: spec.driver.template.spec.priorityClassName: priority class "system-node-critical" is not allowed in queue q`}},
		"a class in the list":     {listed("[system-node-critical]"), nil, critical, false, []string{"new Created Absent→Admitted : "}},
		"a class not in the list": {listed("[low]"), nil, jobManifest("new", "q", ", priorityClassName: urgent"), false, []string{`new Created Absent→Refused InvalidSpec: spec.queue.priorityClassName: priority class "urgent" is not allowed in queue q: use one of "low"`}},
		"the class of all":        {listed("[low]"), nil, jobManifest("new", "q", ", priorityClassName: usual"), false, []string{"new Created Absent→Admitted : "}},
		"the label of Pod Security": {queueManifest("q", 4), map[string]metav1.ObjectMeta{"etl": {Name: "etl", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}},
			jobManifest("new", "q", "") + "  podSecurity: None\n", false, []string{"new Created Absent→Refused InvalidSpec: spec.podSecurity: value None is weaker than"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := offline.Live{
				Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, tt.queue)}, Namespaces: tt.namespaces, Now: planTime,
				Priorities: map[string]int32{"urgent": 1000, "usual": 1, "system-node-critical": 2000001000}, DefaultClass: "usual",
			}
			if tt.waits {
				for job, in := range map[string]state{"a": running, "b": running, "old": waiting} {
					cluster.Applications = append(cluster.Applications, live(t, jobManifest(job, "q", ", priorityClassName: urgent"), in))
				}
			}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(tt.files)}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				got = append(got, fmt.Sprintf("%s %s %s→%s %s: %s", e.Name, e.Change, e.Before, e.After, e.Reason, e.Message))
			}
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestPlanMovesWhoNamesNoQueue: an application that waits and names no queue asks that of its namespace, also when the files
// change it; what runs stays.
func TestPlanMovesWhoNamesNoQueue(t *testing.T) {
	t.Parallel()
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: etl, annotations: {sparkgate.io/default-queue: r}}\n"
	cluster := offline.Live{
		Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 3)), parsed[v1alpha1.SparkQueue](t, queueManifest("r", 2))}, Now: planTime,
		Namespaces: map[string]metav1.ObjectMeta{"etl": {Name: "etl", Annotations: map[string]string{"sparkgate.io/default-queue": "q"}}},
	}
	for name, in := range map[string]state{"a": running, "b": waiting} {
		app := live(t, jobManifest(name, "q", ""), in)
		app.Spec.Queue = nil
		cluster.Applications = append(cluster.Applications, app)
	}
	named := live(t, jobManifest("c", "q", ""), waiting)
	cluster.Applications = append(cluster.Applications, named)
	plan, err := offline.NewPlan(cluster, []offline.File{{Name: "ns.yaml", Text: []byte(namespace)}}, offline.PlanOptions{})
	if err != nil || len(plan.Effects) != 1 {
		t.Fatalf("%+v, %v", plan.Effects, err)
	}
	if e := plan.Effects[0]; e.Name != "b" || e.Queue != "r" || e.Before != offline.Waiting || e.After != offline.Admitted {
		t.Errorf("%+v", e)
	}
}
