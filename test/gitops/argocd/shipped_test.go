// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// createShipped creates the objects of a file of gitops/argocd, with parts replaced.
func (w *world) createShipped(name string, replace *strings.Replacer) {
	w.t.Helper()
	text, err := gitops.ArgoCD.ReadFile("argocd/" + name)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, document := range strings.Split(replace.Replace(string(text)), "\n---\n") {
		w.create(decode(w.t, document))
	}
}

// TestPlatform: the operator, as config has it, and the queues of the examples come from Git, and nothing of them differs from it once they
// are there.
func TestPlatform(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	content := testbed.Installation(t)
	queues, err := os.ReadFile(filepath.Join(env.Root(), "examples", "queues.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	content["queues/queues.yaml"] = string(queues)
	revision := w.Git.Push(content)
	w.createShipped("platform.yaml", strings.NewReplacer("https://git.example.com/platform.git", w.Git.URL))
	testbed.PlayDeployment(t)
	w.isAny("sparkgate", healthy, revision)
	w.isAny("sparkgate-queues", healthy, revision)
}

// environment creates the namespace of an environment of a team, with a node that the test plays and rights of drivers.
func (w *world) environment(name string) *world {
	w.t.Helper()
	namespace := w.Namespace + "-" + name
	harness.Create(w.t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	env.LetDriversRun(w.t, namespace)
	harness.Create(w.t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "spark"}})
	w.t.Cleanup(func() { _ = env.Client().Delete(context.Background(), reference(namespace)) })
	return &world{World: testbed.NewWorldIn(w.t, namespace), t: w.t}
}

// TestTeam: the ApplicationSet finds the environments of a team's repository and runs the jobs of each with its values. A new folder is a new
// environment. A queue is refused.
func TestTeam(t *testing.T) {
	t.Parallel()
	team := newWorld(t, "")
	staging, production := team.environment("staging"), team.environment("production")
	replace := strings.NewReplacer("https://git.example.com/team-a/jobs.git", team.Git.URL, "team-a", team.Namespace)
	revision := team.Git.Push(testbed.Read(t, gitops.Flux, "flux/jobs", ".", replace))
	team.createShipped("team.yaml", replace)
	for _, each := range []struct {
		*world
		image string
		sleep bool // of schedules
	}{
		{staging, "registry.example.com/etl:2.0.0-rc.1", true}, {production, "registry.example.com/etl:1.9.3", false},
	} {
		each.Succeed(each.App("etl"))
		each.is(healthy, revision)
		if got := each.Stored("etl").Spec.Image; got != each.image {
			t.Errorf("%s: image %s, want %s", each.Namespace, got, each.image)
		}
		schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: each.Namespace, Name: "nightly"}}
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(schedule), schedule); err != nil || schedule.Spec.Suspend != each.sleep {
			t.Errorf("%s: the schedule is suspended: %t, want %t (%v)", each.Namespace, schedule.Spec.Suspend, each.sleep, err)
		}
	}
	if slices.ContainsFunc(production.nodes(), func(n node) bool { return n.Kind == "Pod" }) {
		t.Error("the page shows pods, although the project does not name the kind: gitops/README.md says otherwise")
	}
	team.hasOnCall(production)
	team.refusesQueues(production)
}

// hasOnCall has a member of the group on-call of a team take an action in one of its environments, and nothing else.
func (w *world) hasOnCall(environment *world) {
	w.t.Helper()
	member := user{t: w.t, token: w.roleToken("on-call")}
	if status := member.act(environment, object{v1alpha1.SparkApplicationKind, "etl"}, "run-again"); status != http.StatusOK {
		w.t.Errorf("run-again: %d", status)
	}
	environment.Succeed(environment.App("etl"))
	environment.Ran("etl", "1/1", "2/1")
	if status := member.call("applications/"+environment.Namespace+"/sync", struct{}{}, &struct{}{}); status != http.StatusForbidden {
		w.t.Errorf("sync: %d, want it forbidden", status)
	}
}

// roleToken returns a token of a role of the team's project.
func (w *world) roleToken(role string) string {
	w.t.Helper()
	var answer struct{ Token string }
	admin(w.t).must("projects/"+w.Namespace+"/roles/"+role+"/token", map[string]string{}, &answer)
	return answer.Token
}

// refusesQueues pushes a queue to the repository of a team: nothing of the environment is applied, and the message says why.
func (w *world) refusesQueues(environment *world) {
	w.t.Helper()
	revision := w.Git.Push(files{
		"base/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [etl.yaml, nightly.yaml, queue.yaml]\n",
		"base/queue.yaml":         "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: mine}\nspec: {unlimited: true, namespaceSelector: {}}\n",
	})
	environment.sees(revision)
	environment.until("refuses the queue", func(v verdict) bool {
		return slices.ContainsFunc(v.Status.OperationState.SyncResult.Resources, func(r resource) bool {
			return r.Kind == v1alpha1.SparkQueueKind && r.Status == "SyncFailed" && strings.Contains(r.Message, "is not permitted in project "+w.Namespace)
		})
	})
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(queue), queue); client.IgnoreNotFound(err) != nil || err == nil {
		w.t.Errorf("the queue exists (%v)", err)
	}
}
