// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// setParent moves a queue.
func setParent(t *testing.T, queue *v1alpha1.SparkQueue, parent string) {
	t.Helper()
	harness.Change(t, queue, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = parent })
}

// TestRefusedQueues: what no queue can mean is refused when it is applied, with field and value.
func TestRefusedQueues(t *testing.T) {
	t.Parallel()
	const manifest = `
apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: team-a}
spec:
  weight: 2
  flavors:
  - {name: default, quotas: [{resource: cpu, nominal: 8}, {resource: memory, nominal: 3Gi}]}
  - {name: spot, quotas: [{resource: cpu, nominal: "16"}]}
`
	tests := map[string]struct {
		old, mistake string
		words        []string
	}{
		"less than nothing":    {"3Gi", "-3Gi", []string{"spec.flavors[0].quotas[1].nominal", "set nominal to a quantity of zero or more, such as 8 or 32Gi"}},
		"a negative integer":   {"nominal: 8", "nominal: -8", []string{"spec.flavors[0].quotas[0].nominal", "set nominal to a quantity of zero or more"}},
		"no number":            {"3Gi", "plenty", []string{"spec.flavors[0].quotas[1].nominal", `"plenty"`}},
		"two points":           {"3Gi", "1.2.3", []string{"spec.flavors[0].quotas[1].nominal", `"1.2.3"`}},
		"a point alone":        {"3Gi", `"."`, []string{"spec.flavors[0].quotas[1].nominal", `"."`}},
		"an unknown unit":      {"3Gi", "3GB", []string{"spec.flavors[0].quotas[1].nominal", `"3GB"`}},
		"an endless exponent":  {"3Gi", "1e999999999", []string{"spec.flavors[0].quotas[1].nominal", `"1e999999999"`}},
		"weight 0":             {"weight: 2", "weight: 0", []string{"spec.weight", "greater than or equal to 1"}},
		"negative weight":      {"weight: 2", "weight: -1", []string{"spec.weight", "greater than or equal to 1"}},
		"a flavor twice":       {"name: spot", "name: default", []string{"spec.flavors[1]", "Duplicate value", "default"}},
		"a resource twice":     {"resource: memory", "resource: cpu", []string{"spec.flavors[0].quotas[1]", "Duplicate value", "cpu"}},
		"a parent with a dot":  {"weight: 2", "parent: team.b", []string{"spec.parent", `"team.b"`}},
		"an unknown policy":    {"weight: 2", "stopPolicy: Drain", []string{"spec.stopPolicy", `"Hold", "HoldAndDrain"`}},
		"a word of the kind":   {"weight: 2", "cohort: team-b", []string{`unknown field "spec.cohort"`}},
		"nothing in a flavor":  {`[{resource: cpu, nominal: "16"}]`, "[]", []string{"spec.flavors[1].quotas", "at least 1 items"}},
		"a resource for free":  {", nominal: 3Gi", "", []string{"spec.flavors[0].quotas[1].nominal", "Required value"}},
		"an unnamed resource":  {"resource: memory", `resource: ""`, []string{"spec.flavors[0].quotas[1].resource", "at least 1 chars"}},
		"negative maxRunning":  {"weight: 2", "maxRunning: -1", []string{"spec.maxRunning", "greater than or equal to 0"}},
		"a wait without units": {"weight: 2", `headTimeout: "10"`, []string{"spec.headTimeout", "set headTimeout to a duration such as 90s, 10m or 1h30m"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := env.KubectlWith(t, strings.Replace(manifest, tc.old, tc.mistake, 1), "apply", "--dry-run=server", "-f", "-")
			if err == nil {
				t.Fatalf("accepted: %s", out)
			}
			if !hasAll(err.Error(), tc.words) {
				t.Errorf("the message does not have %q: %v", tc.words, err)
			}
		})
	}
}

// TestLimitsWithoutParent: a root that bounds borrowing or lending says that this limits nothing, and applies the rest.
func TestLimitsWithoutParent(t *testing.T) {
	t.Parallel()
	for field, set := range map[string]func(q *v1alpha1.ResourceQuota, limit *resource.Quantity){
		"borrowingLimit": func(q *v1alpha1.ResourceQuota, limit *resource.Quantity) { q.BorrowingLimit = limit },
		"lendingLimit":   func(q *v1alpha1.ResourceQuota, limit *resource.Quantity) { q.LendingLimit = limit },
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			limit := resource.MustParse("1Gi")
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { set(&q.Spec.Flavors[0].Quotas[0], &limit) })
			becomes(t, w.Queue, "InvalidSpec", "Failed", "spec.flavors[0].quotas[0]."+field+`: "1Gi" limits nothing`, "remove it, or set spec.parent")
			first := w.Apply("first")
			w.Run(first)
			second := w.Apply("second")
			waits(t, second, "WaitingForQuota", "at most 3Gi")
			root := harness.Queue(t, w.Namespace+"-root", "", "")
			setParent(t, w.Queue, root.Name)
			becomes(t, w.Queue, "Active", "Current")
			finish(t, w, first)
			w.Succeed(second)
			setParent(t, w.Queue, "")
			becomes(t, w.Queue, "InvalidSpec", "Failed", field)
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { set(&q.Spec.Flavors[0].Quotas[0], nil) })
			becomes(t, w.Queue, "Active", "Current")
		})
	}
}

// TestCycleInEitherOrder: it does not matter which of two queues that stand above each other comes first, nor which is mended.
func TestCycleInEitherOrder(t *testing.T) {
	t.Parallel()
	for name, mended := range map[string]int{"the first is mended": 0, "the second is mended": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "", nil)
			operator.Use(t)
			names := []string{w.Namespace + "-a", w.Namespace + "-b"}
			first := harness.Queue(t, names[0], names[1], "3Gi")
			becomes(t, first, "ParentNotFound", "InProgress", names[0], names[1], "does not exist")
			second := harness.Queue(t, names[1], names[0], "3Gi")
			for _, queue := range []*v1alpha1.SparkQueue{first, second} {
				becomes(t, queue, "Cycle", "Failed", "is its own ancestor", names[0]+" → ", names[1]+" → ")
			}
			app := w.Apply("pi", in(first))
			missing(t, app, "queue "+first.Name+" is its own ancestor")
			setParent(t, []*v1alpha1.SparkQueue{first, second}[mended], "")
			becomes(t, first, "Active", "Current")
			becomes(t, second, "Active", "Current")
			if mended == 0 { // it is the root now
				missing(t, app, "admits nothing itself", second.Name)
				harness.Change(t, app, in(second))
			}
			w.Succeed(app)
		})
	}
}

// TestQueueAboveItself is the shortest circle.
func TestQueueAboveItself(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	setParent(t, w.Queue, w.Queue.Name)
	becomes(t, w.Queue, "Cycle", "Failed", "queue "+w.Queue.Name+" is its own ancestor: "+w.Queue.Name+" → "+w.Queue.Name)
	app := w.Apply("pi")
	missing(t, app, "is its own ancestor")
	setParent(t, w.Queue, "")
	becomes(t, w.Queue, "Active", "Current")
	w.Succeed(app)
}

// TestUnreadableSelectorIsReported: the queue says what cannot be read, and those that ask that nothing is admitted.
func TestUnreadableSelectorIsReported(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	selects := func(operator metav1.LabelSelectorOperator) {
		harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
			q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "kubernetes.io/metadata.name", Operator: operator}}}
		})
	}
	selects("Like")
	becomes(t, w.Queue, "InvalidSpec", "Failed", "spec.namespaceSelector", `"Like"`, "correct the selector")
	app := w.Apply("pi")
	waits(t, app, "NamespaceNotAllowed", "queue "+w.Queue.Name+" admits no namespace")
	selects(metav1.LabelSelectorOpExists)
	becomes(t, w.Queue, "Active", "Current")
	w.Succeed(app)
}

// TestAnotherTenantsQueue: an application that names it says whose it is, and gets nothing of it.
func TestAnotherTenantsQueue(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	theirs := harness.Queue(t, w.Namespace+"-theirs", "", "3Gi")
	harness.Change(t, theirs, func(q *v1alpha1.SparkQueue) {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "b"}}
	})
	becomes(t, theirs, "Active", "Current")
	app := w.Apply("pi", in(theirs))
	waits(t, app, "NamespaceNotAllowed", "queue "+theirs.Name+" admits namespaces with team=b", "the labels of this namespace do not match")
	counted(t, theirs, 0, 1)
	harness.Change(t, app, in(w.Queue))
	w.Succeed(app)
	counted(t, theirs, 0, 0)
}

// TestHugeQuotas: more than is counted is reported, and counts as the most that is, alone and in sums, until it is lowered.
func TestHugeQuotas(t *testing.T) {
	t.Parallel()
	for _, huge := range []string{"999999999999999999Ei", "7Ei", "1e99"} {
		t.Run(huge, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "", nil)
			operator.Use(t)
			child := harness.Queue(t, w.Namespace+"-child", w.Queue.Name, "")
			patch := strings.ReplaceAll(`{"spec": {"unlimited": false, "flavors": [{"name": "default", "quotas": [
				{"resource": "cpu", "nominal": "HUGE"}, {"resource": "memory", "nominal": "HUGE"}]}]}}`, "HUGE", huge)
			for _, queue := range []*v1alpha1.SparkQueue{w.Queue, child} { // as it is written: Go's own client would write what it can count
				if _, err := env.Kubectl(t, "patch", "sgq", queue.Name, "--type=merge", "-p", patch); err != nil {
					t.Fatal(err)
				}
			}
			becomes(t, w.Queue, "InvalidSpec", "Failed", "spec.flavors[0].quotas[0].nominal")
			becomes(t, child, "InvalidSpec", "Failed", "spec.flavors[0].quotas[0].nominal")
			first := w.Apply("first", in(child))
			w.Run(first)
			counted(t, w.Queue, 1, 0)
			counted(t, child, 1, 0)
			if used := child.Status.Summary; !strings.HasPrefix(used["memory"], "2.625Gi/") || !strings.HasPrefix(used["cpu"], "0.6/") || strings.Contains(used["cpu"], "-") {
				t.Errorf("used %v", used)
			}
			setMemory(t, w.Queue, "0")
			setMemory(t, child, "3Gi")
			becomes(t, w.Queue, "Active", "Current")
			becomes(t, child, "Active", "Current")
			second := w.Apply("second", in(child))
			waits(t, second, "WaitingForQuota", "at most 3Gi")
			finish(t, w, first)
			w.Succeed(second)
		})
	}
}

// TestLeafGetsAChild: what runs in a queue that becomes an inner one continues, and its use counts against the child's; who comes is sent to
// the leaves.
func TestLeafGetsAChild(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	running := w.Apply("running")
	w.Run(running)
	waiting := w.Apply("waiting")
	waits(t, waiting, "WaitingForQuota")
	child := harness.Queue(t, w.Namespace+"-child", w.Queue.Name, "")
	becomes(t, child, "Active", "Current")
	missing(t, waiting, "queue "+w.Queue.Name+" admits nothing itself", "leaf queues: "+child.Name)
	harness.Change(t, waiting, in(child))
	waits(t, waiting, "WaitingForQuota", "queue "+w.Queue.Name+", above "+child.Name, "at most 3Gi")
	if harness.Eventually(t, running, "running", harness.InStage("Running")); running.Status.Grant == nil {
		t.Errorf("the running application lost its grant: %s", harness.Show(running))
	}
	finish(t, w, running)
	w.Succeed(waiting)
	w.Unused()
}

// TestQueueIsMovedAndDeletedInUse: what runs in it continues and counts where the queue is, then where it was last.
func TestQueueIsMovedAndDeletedInUse(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	from, to := harness.Queue(t, w.Namespace+"-from", "", "3Gi"), harness.Queue(t, w.Namespace+"-to", "", "3Gi")
	moved, other := harness.Queue(t, w.Namespace+"-moved", from.Name, ""), harness.Queue(t, w.Namespace+"-other", to.Name, "")
	running := w.Apply("running", in(moved))
	w.Run(running)
	counted(t, from, 1, 0)
	counted(t, to, 0, 0)

	setParent(t, moved, to.Name)
	counted(t, from, 0, 0)
	counted(t, to, 1, 0)
	waiting := w.Apply("waiting", in(other))
	waits(t, waiting, "WaitingForQuota", "queue "+to.Name+", above "+other.Name, "at most 3Gi")

	remove(t, moved)
	counted(t, to, 1, 1)
	waits(t, waiting, "WaitingForQuota")
	late := w.Apply("late", in(moved))
	missing(t, late, "queue "+moved.Name+" does not exist")

	finish(t, w, running)
	w.Succeed(waiting)
	counted(t, to, 0, 0)
}
