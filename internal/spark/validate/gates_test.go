// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

func TestGates(t *testing.T) {
	t.Parallel()
	const other = ` contradicts the gate Volcano, whose pods are placed by the scheduler "volcano": remove it, or choose another gate in spec.queue.gate`
	const past = ` takes the pods past the scheduler "yunikorn", by which the gate YuniKorn grants quota: remove it, and select the node by its labels in nodeSelector`
	table{
		"nothing to say":                {"queue: {gate: Volcano, name: team-a}", nil},
		"waits for no queue":            {"queue: {gate: Volcano, volcano: {waitForInqueue: false}}", nil},
		"dots in the name of the queue": {"queue: {gate: YuniKorn, name: root.spark.team_a}", nil},
		"its own scheduler": {`
queue: {gate: Volcano}
sparkConf: {spark.kubernetes.scheduler.name: volcano}
driver: {template: {spec: {schedulerName: volcano}}}`, nil},
		"another scheduler by the common property": {`
queue: {gate: Volcano}
sparkConf: {spark.kubernetes.scheduler.name: mine}`, []string{`spec.sparkConf[spark.kubernetes.scheduler.name]: value "mine"` + other}},
		"another scheduler by the property of a role": {`
queue: {gate: Volcano}
sparkConf: {spark.kubernetes.executor.scheduler.name: default-scheduler}`, []string{
			`spec.sparkConf[spark.kubernetes.executor.scheduler.name]: value "default-scheduler"` + other}},
		"another scheduler by a template": {`
queue: {gate: Volcano}
executor: {template: {spec: {schedulerName: yunikorn}}}`, []string{`spec.executor.template.spec.schedulerName: value "yunikorn"` + other}},
		"nodes instead of a scheduler": {`
queue: {gate: YuniKorn}
driver: {template: {spec: {nodeName: worker-1}}}
executor: {template: {spec: {nodeName: worker-2}}}`, []string{
			`spec.driver.template.spec.nodeName: value "worker-1"` + past, `spec.executor.template.spec.nodeName: value "worker-2"` + past}},
		"any scheduler under a gate without one": {`
queue: {gate: None}
sparkConf: {spark.kubernetes.scheduler.name: mine}
driver: {template: {spec: {nodeName: worker-1}}, annotations: {scheduling.k8s.io/group-name: mine}}`, nil},
		"marks of Volcano": {`
queue: {gate: Volcano}
driver: {annotations: {volcano.sh/preemptable: "true", volcano.sh/cooldown-time: 1m}}
executor:
  annotations: {volcano.sh/preemptable: "true"}
  template: {metadata: {annotations: {scheduling.k8s.io/group-name: mine}}}`, []string{
			`spec.driver.annotations[volcano.sh/preemptable]: the annotation volcano.sh/preemptable is set by the gate Volcano: remove it`,
			`spec.executor.template.metadata.annotations[scheduling.k8s.io/group-name]: the annotation scheduling.k8s.io/group-name is set by the gate Volcano: remove it`,
		}},
		"marks of YuniKorn": {`
queue: {gate: YuniKorn}
sparkConf: {spark.kubernetes.driver.label.queue: root.other}
driver: {annotations: {yunikorn.apache.org/schedulingPolicyParameters: gangSchedulingStyle=Hard}}
executor: {labels: {applicationId: mine}}`, []string{
			`spec.sparkConf[spark.kubernetes.driver.label.queue]: the label queue is set by the gate YuniKorn: remove it, and name the queue in spec.queue.name`,
			`spec.driver.annotations[yunikorn.apache.org/schedulingPolicyParameters]: the annotation yunikorn.apache.org/schedulingPolicyParameters is set by the gate YuniKorn: set it as an annotation of the SparkApplication`,
			`spec.executor.labels[applicationId]: the label applicationId is set by the gate YuniKorn: remove it`,
		}},
	}.run(t)
}

// TestNodeOfGatedExecutors: the API server refuses pods with both a node and a scheduling gate, so no driver is to wait for them.
func TestNodeOfGatedExecutors(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]string{
		"driver": "",
		"executor": `spec.executor.template.spec.nodeName: value "worker-1" contradicts the scheduling gate behind which executors wait for their quota, ` +
			`and Kubernetes refuses pods with both: remove it, and select the node by its labels in nodeSelector`,
	} {
		in, _ := render.NewInput(spec(role+": {template: {spec: {nodeName: worker-1}}}").application(t), conf.Sources{})
		if _, found := Build(in, nil); len(found) > 0 {
			t.Errorf("%s without a scheduling gate: %v", role, found)
		}
		in.SchedulingGated = true
		got := ""
		if _, found := Build(in, nil); len(found) > 0 {
			got = found[0].Field + ": " + found[0].Message
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
}

// TestGateNamedElsewhere: the same holds where the namespace or the operator names the gate, also for properties that come from elsewhere.
func TestGateNamedElsewhere(t *testing.T) {
	t.Parallel()
	app := spec("executor: {template: {spec: {schedulerName: mine}}}").application(t)
	properties, _ := conf.Merge(app, conf.Sources{ConfigMap: map[string]string{"spark-defaults.conf": "spark.kubernetes.scheduler.name other"}})
	for gate, want := range map[v1alpha1.GateType][]string{
		v1alpha1.GateEmbedded: nil, v1alpha1.GateKueue: nil, v1alpha1.GateNone: nil, "Door": nil,
		v1alpha1.GateVolcano: {"spec.sparkConfigMap", "spec.executor.template.spec.schedulerName"},
	} {
		var fields []string
		for _, f := range Gate(app, gate, properties) {
			fields = append(fields, f.Field)
		}
		if len(fields) != len(want) {
			t.Errorf("gate %s (-want +got):\n%s", gate, cmp.Diff(want, fields))
		}
	}
	if found := Application(app); found != nil {
		t.Errorf("without a gate: %v", found)
	}
}

func TestUnreadLabels(t *testing.T) {
	t.Parallel()
	app := spec("executor: {instances: 1}").application(t)
	app.Labels = map[string]string{"kueue.x-k8s.io/priority-class": "high", "kueue.x-k8s.io/max-exec-time-seconds": "60", "team": "a"}
	for gate, want := range map[v1alpha1.GateType][]string{
		v1alpha1.GateEmbedded: nil, "Door": nil,
		v1alpha1.GateKueue: {
			"metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Kueue reads this label on its own kinds of jobs only: remove it and set spec.timeouts.run",
			"metadata.labels[kueue.x-k8s.io/priority-class]: Kueue reads this label on its own kinds of jobs only: remove it and set spec.queue.priorityClassName",
		},
	} {
		var got []string
		for _, f := range Queue(app, gate) {
			got = append(got, f.Field+": "+f.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("gate %s (-want +got):\n%s", gate, diff)
		}
	}
}
