// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// planned returns what sparkctl plan says.
func (u user) planned(flags ...string) offline.Plan {
	u.t.Helper()
	args := append([]string{"plan", "-o", "json"}, flags...)
	var plan offline.Plan
	if err := json.Unmarshal([]byte(u.sees(args)), &plan); err != nil {
		u.t.Fatal(err)
	}
	return plan
}

// TestPlanIsWhatHappens: what a plan says of a job, in which words, is what the operator says once it is applied; and a
// change of the queue lets those start of which the plan said so.
func TestPlanIsWhatHappens(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "3Gi", nil)
	me := as(t, admin(), w.Namespace)
	w.Run(w.Apply("first"))

	second := w.Pi("second")
	file := manifest(t, second)
	me.sees(words("plan -f "+file), w.Namespace+"/second", "Created", "Absent", "Waiting", "1 Waiting")
	me.fails(3, words("plan --fail-on waiting -f "+file), "1 of what --fail-on names: waiting")
	me.fails(2, words("plan --fail-on wating -f "+file), "did you mean waiting?")
	plan := me.planned("-f", file)
	if len(plan.Effects) != 1 || plan.Effects[0].After != offline.Waiting {
		t.Fatalf("the plan is %+v", plan)
	}
	harness.Create(t, second)
	harness.Eventually(t, second, "told to wait in the words of the plan", func(a *v1alpha1.SparkApplication) bool {
		admitted := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.AdmittedCondition)
		return admitted != nil && admitted.Reason == plan.Effects[0].Reason && admitted.Message == plan.Effects[0].Message
	})
	if again := me.planned("-f", file); len(again.Effects) > 0 {
		t.Errorf("what is applied already would do %+v", again.Effects)
	}

	larger := w.Queue.DeepCopy()
	larger.TypeMeta.Kind, larger.TypeMeta.APIVersion = v1alpha1.SparkQueueKind, v1alpha1.GroupVersion.String()
	larger.Spec.Flavors[0].Quotas[0].Nominal = resource.MustParse("6Gi")
	data, err := yaml.Marshal(larger)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "status:\n")
	queue := filepath.Join(t.TempDir(), "queue.yaml")
	if err := os.WriteFile(queue, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	more := me.planned("-f", queue)
	if len(more.Effects) != 1 || more.Effects[0].Name != "second" || more.Effects[0].Before != offline.Waiting || more.Effects[0].After != offline.Admitted {
		t.Errorf("a larger queue does %+v", more)
	}
	w.Apply("third") // the plan has changed nothing
	w.Reach(second, v1alpha1.QueuedReason)
}

// TestPlanKeepsWhatOthersHaveSet: a field that another manager has set stays, as it does with the tool that applies the
// file, whether that is kubectl or applies on the server. A field that the tool itself had set goes.
func TestPlanKeepsWhatOthersHaveSet(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	for _, server := range []bool{false, true} {
		w := harness.NewWorld(t, "6Gi", nil)
		me := as(t, admin(), w.Namespace)
		w.Run(w.Apply("first"))
		text := "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: " + w.Queue.Name + "}\nspec:\n  namespaceSelector: {}\n" +
			"  flavors: [{name: default, quotas: [{resource: memory, nominal: 6Gi}]}]\n"
		file := filepath.Join(t.TempDir(), "queue.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		held, err := yaml.YAMLToJSON([]byte(text + "  stopPolicy: Hold\n"))
		if err != nil {
			t.Fatal(err)
		}
		if server {
			err = env.Client().Patch(t.Context(), w.Queue, client.RawPatch(types.ApplyPatchType, held), client.FieldOwner("kustomize-controller"), client.ForceOwnership)
		}
		if err != nil {
			t.Fatal(err)
		}
		harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
			q.Spec.MaxRunning = ptr.To[int32](1)
			if !server {
				q.Annotations, q.Spec.StopPolicy = map[string]string{corev1.LastAppliedConfigAnnotation: string(held)}, v1alpha1.StopPolicyHold
			}
		})
		second := w.Pi("second")
		plan := me.planned("--fail-on=", "-f", file, "-f", manifest(t, second))
		if len(plan.Effects) != 1 || plan.Effects[0].Reason != "MaxRunning" {
			t.Errorf("server side %t: %+v, want second to wait for maxRunning, and not for stopPolicy", server, plan.Effects)
		}
	}
}

// TestPlanOfATenant: a user who may see the queues and one namespace learns whether a job fits, waits or exceeds the quota,
// though others hold a part of it.
func TestPlanOfATenant(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "6Gi", nil)
	other := harness.NewWorld(t, "", nil)
	first := other.Apply("first", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = w.Queue.Name })
	other.Run(first)
	tenant := userWith(t, w.Namespace, []string{"get namespaces", "list limitranges", "list resourcequotas", "list sparkapplications"})
	seesQueues(t, w.Namespace)
	for name, tt := range map[string]struct {
		size string
		want offline.EndState
	}{"fits": {"512m", offline.Admitted}, "waits": {"1g", offline.Waiting}, "exceeds": {"4g", offline.Refused}} {
		job := w.Pi(name)
		job.Spec.Executor.Memory = tt.size
		plan := tenant.planned("--fail-on=", "-f", manifest(t, job))
		if len(plan.Effects) != 1 || plan.Effects[0].After != tt.want {
			t.Errorf("%s: %+v, want %s", name, plan.Effects, tt.want)
		}
	}
}

// seesQueues lets the user who was bound in a namespace list queues and flavors.
func seesQueues(t *testing.T, namespace string) {
	t.Helper()
	bindings := &rbacv1.RoleBindingList{}
	if err := env.Client().List(t.Context(), bindings, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	name := metav1.ObjectMeta{Name: "queues-" + namespace}
	for i := range bindings.Items {
		if subject := bindings.Items[i].Subjects[0]; subject.Kind == rbacv1.UserKind {
			harness.Create(t, &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{{
				APIGroups: []string{v1alpha1.Group}, Resources: []string{"sparkqueues", "sparkflavors"}, Verbs: []string{"list"},
			}}})
			harness.Create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: name, Subjects: []rbacv1.Subject{subject}, RoleRef: rbacv1.RoleRef{
				APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name,
			}})
		}
	}
}

// TestPlanPrunesBesidePods: what a plan says of jobs that Git no longer names, and of pods of no application, is what
// happens once the change is applied.
func TestPlanPrunesBesidePods(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "3Gi", nil)
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Labels[v1alpha1.GuardedLabel] = "true"
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: w.Queue.Name}
	})
	me, selector := as(t, admin(), w.Namespace), "from="+w.Namespace
	first := w.Apply("first", func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"from": w.Namespace} })
	w.Run(first)
	notebook := gatedDriver(w.Namespace)
	harness.Create(t, notebook)
	harness.Eventually(t, w.Queue, "counting the pod that waits", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.UnmanagedPods != nil && q.Status.UnmanagedPods.Pending == 1
	})

	second := w.Pi("second")
	file := manifest(t, second)
	me.fails(2, words("plan --prune -f "+file), "--prune and --selector go together")
	me.fails(3, words("plan --prune -l "+selector+" --fail-on deletion -f "+file), "1 of what --fail-on names: deletion")
	plan := me.planned("--prune", "-l", selector, "-f", file)
	var got []string
	for _, e := range plan.Effects {
		got = append(got, fmt.Sprintf("%s %s %s %s-%s", e.Kind, e.Name, e.Change, e.Before, e.After))
	}
	want := []string{"SparkApplication first Deleted Admitted-Absent", "SparkApplication second Created Absent-Waiting", "Pod notebook  Waiting-Admitted"}
	if !slices.Equal(got, want) {
		t.Fatalf("the plan is %q, want %q", got, want)
	}
	env.Until(t, "a second has passed: of two of the same second, the name decides", func() bool {
		return time.Since(notebook.CreationTimestamp.Time) >= time.Second
	})
	harness.Create(t, second)
	w.Reach(second, v1alpha1.QueuedReason)
	if err := env.Client().Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, notebook, "let in, as planned", func(p *corev1.Pod) bool { return len(p.Spec.SchedulingGates) == 0 })
	w.Reach(second, v1alpha1.QueuedReason)
}

// gatedDriver returns the driver of a raw spark-submit behind the gate.
func gatedDriver(namespace string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "notebook", Labels: map[string]string{v1alpha1.SparkRoleLabel: "driver"}},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}},
			Containers: []corev1.Container{{
				Name: "spark-kubernetes-driver", Image: "docker.io/sparkgate/spark:4.1",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}},
			}},
		},
	}
}
