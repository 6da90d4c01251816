// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// healthCheckExprs returns the line of a Kustomization that has the expressions of a profile, as gitops ships them.
func healthCheckExprs(t *testing.T, profile string) []string {
	t.Helper()
	var profiles map[string]any
	if err := yaml.UnmarshalStrict(gitops.FluxHealthCheckExprs, &profiles); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(profiles[profile])
	if err != nil || profiles[profile] == nil {
		t.Fatalf("no expressions %s: %v", profile, err)
	}
	return []string{"healthCheckExprs: " + string(list)}
}

// TestStartedIsEnough: with the expressions `started` the Kustomization is ready as soon as the driver runs.
func TestStartedIsEnough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"jobs/app.yaml": w.Manifest("stream")}, map[string][]string{"jobs": healthCheckExprs(t, "started")})
	w.Run(w.App("stream"))
	w.ready("jobs", revision)
	if app := w.App("stream"); env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app) != nil || harness.Stage(app) != "Running" {
		t.Errorf("ready, and the application is %s", harness.Show(app))
	}
}

// TestRefused: a manifest that the API server refuses changes nothing of any object of the Kustomization, whose message says why.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": nil})
	driver := w.Run(w.App("pi"))
	w.push(files{"jobs/app.yaml": strings.Replace(w.Manifest("pi"), "cores: 1", "cores: 0", 1), "jobs/new.yaml": w.Manifest("new")})
	w.becomes("jobs", metav1.ConditionFalse, "ReconciliationFailed", "SparkApplication/"+w.Namespace+"/pi dry-run failed", "spec.driver.cores")
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(w.App("new")), w.App("new")); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the other manifest was applied (%v)", err)
	}
	if now := w.Driver(w.App("pi")); now.UID != driver.UID || now.DeletionTimestamp != nil {
		t.Error("the run was disturbed")
	}
	w.End("pi", 0)
	w.Reach(w.App("pi"), "Succeeded")
}

// TestForceIsAHazard: with force the same mistake deletes the application, and with it the run. The corrected manifest is a new one.
func TestForceIsAHazard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": {"force: true"}})
	first := w.App("pi")
	w.Run(first)
	w.push(files{"jobs/app.yaml": strings.Replace(w.Manifest("pi"), "cores: 1", "cores: 0", 1)})
	harness.Gone(t, w.App("pi"))
	w.becomes("jobs", metav1.ConditionFalse, "ReconciliationFailed", "spec.driver.cores")
	w.NothingRuns()
	w.Unused()
	fixed := w.push(files{"jobs/app.yaml": w.Manifest("pi")})
	again := w.App("pi")
	w.Succeed(again)
	w.ready("jobs", fixed)
	if again.UID == first.UID {
		t.Error("the application was not deleted")
	}
}

// TestPostBuildSubstitution: ${…} of Flux is replaced, $${…} and an annotated application keep Spark's own. Flux drops the quotes around a
// variable before it replaces it: one that stands alone and is a number would be refused as an argument.
func TestPostBuildSubstitution(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	annotated := strings.Replace(w.Manifest("annotated", `sparkConf: {spark.app.label: "${spark.app.name}"}`),
		"metadata: {name: annotated}", "metadata: {name: annotated, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}", 1)
	revision := w.deploy(files{
		"jobs/app.yaml":       w.Manifest("pi", `arguments: ["--parts=${parts}"]`, `sparkConf: {spark.app.label: "$${spark.app.name}"}`),
		"jobs/annotated.yaml": annotated,
	}, map[string][]string{"jobs": {"postBuild: {substitute: {parts: \"7\"}}"}})
	w.SucceedAll(w.App("pi"), w.App("annotated"))
	w.ready("jobs", revision)
	pi, other := w.Stored("pi"), w.Stored("annotated")
	if !slices.Equal(pi.Spec.Arguments, []string{"--parts=7"}) {
		t.Errorf("arguments %q", pi.Spec.Arguments)
	}
	for _, app := range []*v1alpha1.SparkApplication{pi, other} {
		if got := app.Spec.SparkConf["spark.app.label"]; got != "${spark.app.name}" {
			t.Errorf("%s has the property %q", app.Name, got)
		}
	}
}

// TestScheduleUnderPrune: the Kustomization is ready when the schedule is sound. It prunes the schedule when its manifest goes, and never
// the applications that the schedule has created.
func TestScheduleUnderPrune(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	manifest := func(arguments string) string {
		template := strings.ReplaceAll(w.Manifest("x", "arguments: "+arguments), "\n", "\n    ")
		_, spec, _ := strings.Cut(template, "metadata: {name: x}\n")
		return fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: ScheduledSparkApplication
metadata: {name: nightly}
spec:
  schedule: "0 0 29 2 *"
  template:
%s`, strings.TrimRight(spec, " "))
	}
	first := w.deploy(files{"jobs/schedule.yaml": manifest(`["1"]`), "jobs/other.yaml": w.Manifest("other", "suspend: true")},
		map[string][]string{"jobs": healthCheckExprs(t, "suspendedIsDone")})
	w.ready("jobs", first)
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"}}
	run := w.runNow(schedule)
	w.Run(run)
	second := w.push(files{"jobs/schedule.yaml": manifest(`["2"]`)})
	w.ready("jobs", second)
	w.Kubelet.Finish(t.Context(), w.Driver(run), 0, "Completed")
	w.Reach(run, "Succeeded")
	third := w.push(files{"jobs/schedule.yaml": ""})
	harness.Gone(t, schedule)
	w.ready("jobs", third)
	// The garbage collector deletes what belongs to the schedule; the API server of the tests has none.
	if owned := w.Stored(run.Name); !metav1.IsControlledBy(owned, schedule) || owned.DeletionTimestamp != nil {
		t.Errorf("the application of the schedule was touched: %s", harness.Show(owned))
	}
}

// runNow runs a schedule out of turn, as docs/gitops.md says, and returns the application.
func (w *world) runNow(schedule *v1alpha1.ScheduledSparkApplication) *v1alpha1.SparkApplication {
	w.t.Helper()
	if out, err := env.Kubectl(w.t, "annotate", "--overwrite", "--field-manager=flux-client-side-apply", "-n", w.Namespace, "sgsched", schedule.Name,
		"reconcile.fluxcd.io/requestedAt=now", "reconcile.fluxcd.io/forceAt=now"); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	list := &v1alpha1.SparkApplicationList{}
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(schedule), schedule); err != nil {
		w.t.Fatal(err)
	}
	var found *v1alpha1.SparkApplication
	env.Until(w.t, "the schedule has created an application", func() bool {
		if err := env.Client().List(w.t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
			w.t.Fatal(err)
		}
		for i := range list.Items {
			if metav1.IsControlledBy(&list.Items[i], schedule) {
				found = &list.Items[i]
			}
		}
		return found != nil
	})
	return found
}

// TestQueuesAndJobsInOne: an application and the tree of its queue arrive together, in whatever order.
func TestQueuesAndJobsInOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	tree := w.NewTree("one", "two")
	revision := w.deploy(files{"all/a-jobs.yaml": strings.Join(tree.Jobs, "---\n"), "all/z-queues.yaml": tree.Queues}, map[string][]string{"all": nil})
	w.SucceedAll(w.App("one"), w.App("two"))
	w.ready("all", revision)
	gone := w.push(files{"all/a-jobs.yaml": "", "all/z-queues.yaml": "", "all/README.md": "Nothing.\n"})
	w.ready("all", gone)
	for _, name := range []string{tree.Leaf, tree.Root} {
		harness.Gone(t, &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
}

// TestGeneratedConfigMap: with the configuration of gitops, Flux's Kustomize follows the hash of a generated ConfigMap: a changed file in Git
// runs the job again with the new content. An image is set by images.
func TestGeneratedConfigMap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	first := w.deploy(files{
		"jobs/app.yaml":             w.Manifest("pi", "sparkConfigMap: conf"),
		"jobs/kustomizeconfig.yaml": string(gitops.KustomizeConfig),
		"jobs/log4j2.properties":    "rootLogger.level = info\n",
		"jobs/kustomization.yaml": `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [app.yaml]
configurations: [kustomizeconfig.yaml]
images: [{name: docker.io/sparkgate/spark, newTag: 4.1.4}]
configMapGenerator: [{name: conf, files: [log4j2.properties]}]
`}, map[string][]string{"jobs": nil})
	w.Succeed(w.App("pi"))
	w.ready("jobs", first)
	before := w.Stored("pi").Spec
	second := w.push(files{"jobs/log4j2.properties": "rootLogger.level = debug\n"})
	w.Succeed(w.App("pi"))
	w.ready("jobs", second)
	after := w.Stored("pi").Spec
	if !strings.HasPrefix(before.SparkConfigMap, "conf-") || after.SparkConfigMap == before.SparkConfigMap || after.Image != "docker.io/sparkgate/spark:4.1.4" {
		t.Errorf("ConfigMap %s, then %s; image %s", before.SparkConfigMap, after.SparkConfigMap, after.Image)
	}
	w.Ran("pi", "1/1", "2/1")
}
