// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
	"github.com/sparkgate/sparkgate/test/gitops/fluxobject"
	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestCharts: Flux installs the operator's chart with what gitops ships. Then a chart with a job is ready at the end of the job's run, a new
// version of the operator brings new CRDs while a job runs, and its removal leaves the job.
func TestCharts(t *testing.T) {
	w := newWorld(t)
	team := w.Namespace + "-team"
	process := w.install(team)
	w.runJobs(team)
	w.rollBack(team)
	w.installAgain(team)
	w.upgrade()
	process.Stop()
	w.uninstall(team)
}

// install applies the shipped objects of Flux, with a team of the test, and starts the operator once its Deployment is there. The release is
// ready when the operator has answered to its queues.
func (w *world) install(team string) *testbed.Process {
	w.t.Helper()
	text, err := gitops.Flux.ReadFile("flux/helm.yaml")
	if err != nil {
		w.t.Fatal(err)
	}
	w.Git.Push(testbed.Chart(w.t))
	// The test has its jobs in a namespace of its own.
	replace := strings.NewReplacer("https://git.example.com/sparkgate.git", w.Git.URL, "kubernetes.io/metadata.name: team-a", "kubernetes.io/metadata.name: "+w.Namespace,
		"team-a", team)
	for _, document := range strings.Split(replace.Replace(string(text)), "\n---\n") {
		w.create(document)
	}
	testbed.PlayDeployment(w.t)
	process := operator.Use(w.t)
	w.becomes(version{systems.FluxNamespace, "sparkgate", 1}, metav1.ConditionTrue, "InstallSucceeded")
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "spark"}}
	if !w.exists(account) {
		w.t.Error("the team's namespace has no account for drivers")
	}
	return process
}

// exists reports whether an object is there and stays, and reads it.
func (w *world) exists(o client.Object) bool {
	w.t.Helper()
	err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(o), o)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return err == nil && o.GetDeletionTimestamp() == nil
}

// chartOf returns a chart with an application, whose arguments come from the values.
func (w *world) chartOf(number, argument, queue string) files {
	manifest := strings.Replace(w.Manifest("pi", "arguments: [{{ .Values.argument | quote }}]"), "queue: {name: "+w.Queue.Name+"}", "queue: {name: "+queue+"}", 1)
	return files{
		"jobs/Chart.yaml":         fmt.Sprintf("apiVersion: v2\nname: jobs\nversion: %s\n", number),
		"jobs/values.yaml":        fmt.Sprintf("argument: %q\n", argument),
		"jobs/templates/app.yaml": manifest,
	}
}

// runJobs installs a chart with a job in the queue of the operator's chart: the release is ready when the run has succeeded. A new version is
// another run, whose failure fails the release; and the fix is the next one.
func (w *world) runJobs(queue string) {
	w.t.Helper()
	w.Git.Push(w.chartOf("1.0.0", "1", queue))
	w.create(fmt.Sprintf(`apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: jobs, namespace: %s}
spec: {url: %q, ref: {branch: main}, interval: 1h}
`, w.Namespace, w.Git.URL))
	w.create(fmt.Sprintf(`apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: jobs, namespace: %s}
spec:
  chart: {spec: {chart: ./jobs, sourceRef: {kind: GitRepository, name: jobs}, interval: 1h}}
  releaseName: jobs
  interval: 1h
  timeout: 5m
`, w.Namespace))
	w.Run(w.App("pi"))
	w.becomes(version{w.Namespace, "jobs", 0}, metav1.ConditionUnknown, "Progressing")
	w.End("pi", 0)
	w.becomes(version{w.Namespace, "jobs", 1}, metav1.ConditionTrue, "InstallSucceeded")

	w.push(w.chartOf("1.1.0", "2", queue), w.Namespace, "jobs")
	w.reachRun(2)
	w.Run(w.App("pi"))
	w.End("pi", 3)
	w.becomes(version{w.Namespace, "jobs", 2}, metav1.ConditionFalse, "UpgradeFailed", "SparkApplication/"+w.Namespace+"/pi status: 'Failed'")

	w.push(w.chartOf("1.1.1", "3", queue), w.Namespace, "jobs")
	w.reachRun(3)
	w.Succeed(w.App("pi"))
	w.becomes(version{w.Namespace, "jobs", 3}, metav1.ConditionTrue, "UpgradeSucceeded")
	w.Ran("pi", "1/1", "2/1", "3/1")
}

// rollBack has a release go back to the version before when an upgrade has failed: that is one more run, of what ran before.
func (w *world) rollBack(queue string) {
	w.t.Helper()
	w.patchRelease("jobs", `{"spec":{"upgrade":{"remediation":{"remediateLastFailure":true}}}}`)
	w.push(w.chartOf("1.2.0", "4", queue), w.Namespace, "jobs")
	w.reachRun(4)
	w.Run(w.App("pi"))
	w.End("pi", 3)
	w.reachRun(5)
	if app := w.App("pi"); env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(app), app) != nil || !slices.Equal(app.Spec.Arguments, []string{"3"}) {
		w.t.Errorf("the run after the failure has the arguments %q, want those of the version before", app.Spec.Arguments)
	}
	w.Succeed(w.App("pi"))
	w.becomes(version{w.Namespace, "jobs", 5}, metav1.ConditionFalse, "RollbackSucceeded")
	w.Ran("pi", "1/1", "2/1", "3/1", "4/1", "5/1")
}

// installAgain has Flux install a release again whose installation has failed: it deletes the application, and the next one begins with a
// first run.
func (w *world) installAgain(queue string) {
	w.t.Helper()
	chart := w.chartOf("2.0.0", "1", queue)
	chart["jobs/templates/app.yaml"] = strings.Replace(chart["jobs/templates/app.yaml"], "name: pi", "name: again", 1)
	w.push(chart, w.Namespace, "jobs")
	w.create(fmt.Sprintf(`apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: again, namespace: %s}
spec:
  chart: {spec: {chart: ./jobs, sourceRef: {kind: GitRepository, name: jobs}, interval: 1h}}
  releaseName: again
  interval: 1h
  timeout: 5m
  install: {remediation: {retries: 1}}
`, w.Namespace))
	first := w.App("again")
	w.Run(first)
	w.End("again", 3)
	harness.Gone(w.t, first)
	second := w.App("again")
	w.Run(second)
	if second.UID == first.UID || second.Status.Run != 1 {
		w.t.Errorf("run %d of application %s follows that of %s", second.Status.Run, second.UID, first.UID)
	}
	w.End("again", 0)
	w.becomes(version{w.Namespace, "again", 1}, metav1.ConditionTrue, "InstallSucceeded")
}

// patchRelease changes a HelmRelease.
func (w *world) patchRelease(name, patch string) {
	w.t.Helper()
	release := fluxobject.Named("HelmRelease", w.Namespace, name)
	if err := env.Client().Patch(w.t.Context(), release, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		w.t.Fatal(err)
	}
}

// reachRun waits until the application is in a run.
func (w *world) reachRun(run int64) {
	w.t.Helper()
	harness.Eventually(w.t, w.App("pi"), fmt.Sprintf("in run %d", run), func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == run })
}

// upgrade pushes a next version of the operator's chart, with another image and a CRD with a field more, while a job runs.
func (w *world) upgrade() {
	w.t.Helper()
	app := w.Apply("stays")
	driver := w.Run(app)
	const folder = "config/chart/sparkgate/"
	content, crd := testbed.Chart(w.t), folder+"crds/sparkqueues.sparkgate.io.yaml"
	content[folder+"Chart.yaml"] = strings.NewReplacer("\nversion: ", "\nversion: 99.0.0 # was ", "\nappVersion: ", "\nappVersion: v99.0.0 # was ").
		Replace(content[folder+"Chart.yaml"])
	const field = "              unlimited:\n"
	if !strings.Contains(content[crd], field) {
		w.t.Fatalf("%s has no %q", crd, field)
	}
	content[crd] = strings.Replace(content[crd], field, "              motto:\n                type: string\n"+field, 1)
	w.push(content, systems.FluxNamespace, "sparkgate")
	deployment := deployment()
	env.UntilSeen(w.t, "the Deployment has the next image", func() (bool, string) {
		image := ""
		if w.exists(deployment) {
			image = deployment.Spec.Template.Spec.Containers[0].Image
		}
		return strings.HasSuffix(image, ":v99.0.0"), image
	})
	testbed.PlayDeployment(w.t)
	w.becomes(version{systems.FluxNamespace, "sparkgate", 2}, metav1.ConditionTrue, "UpgradeSucceeded")
	if out, err := env.Kubectl(w.t, "patch", "sgq", w.Queue.Name, "--type=merge", "--patch", `{"spec":{"motto":"one by one"}}`, "--output=jsonpath={.spec.motto}"); err != nil || out != "one by one" {
		w.t.Errorf("the new field holds %q: %v", out, err)
	}
	if now := w.Driver(app); now.UID != driver.UID {
		w.t.Error("the run was disturbed")
	}
}

func deployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "sparkgate-system", Name: "sparkgate"}}
}

// uninstall deletes the operator's HelmRelease while a job runs.
func (w *world) uninstall(queue string) {
	w.t.Helper()
	if err := env.Client().Delete(w.t.Context(), fluxobject.Named("HelmRelease", systems.FluxNamespace, "sparkgate")); err != nil {
		w.t.Fatal(err)
	}
	harness.Gone(w.t, fluxobject.Named("HelmRelease", systems.FluxNamespace, "sparkgate"))
	if w.exists(deployment()) || w.exists(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "sparkgate-operator"}}) {
		w.t.Error("the operator is not uninstalled")
	}
	app := w.App("stays")
	for _, o := range []client.Object{app, &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: queue}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: queue}}} {
		if !w.exists(o) {
			w.t.Errorf("%T %s is deleted", o, o.GetName())
		}
	}
	w.Driver(app) // runs
}
