// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// eventually waits for what the API server does after it has answered.
func eventually(t *testing.T, what string, done func(context.Context) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) { return done(ctx), nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// exists reports whether an object is there, and reads it.
func exists(t *testing.T, o client.Object) bool {
	t.Helper()
	err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(o), o)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return err == nil
}

// create stores an object.
func create(t *testing.T, o client.Object) {
	t.Helper()
	if err := env.Client().Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func crd(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	o.SetName(name)
	return o
}

const (
	applications = "sparkapplications.sparkgate.io"
	queues       = "sparkqueues.sparkgate.io"
)

// deleteCRD deletes a CRD with all objects of its kind, for which the API server takes ten seconds.
func deleteCRD(t *testing.T, name string) {
	t.Helper()
	if err := env.Client().Delete(t.Context(), crd(name)); err != nil {
		t.Fatal(err)
	}
	env.Until(t, name+" is deleted", func() bool { return !exists(t, crd(name)) })
}

// application returns one that has started something: with the operator's finalizer, and another one if it is named.
func application(t *testing.T, namespace, name string, others ...string) *v1alpha1.SparkApplication {
	t.Helper()
	app := &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: append([]string{v1alpha1.Finalizer}, others...)},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: "Python", SparkVersion: "4.1.4", Image: "spark:4.1", MainApplicationFile: "local:///pi.py",
		},
	}
	create(t, app)
	app.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ReadyCondition, Status: metav1.ConditionUnknown, Reason: "Running", Message: "runs", LastTransitionTime: metav1.Now(),
	}}
	if err := env.Client().Status().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	return app
}

// nextVersion returns a copy of the chart with another version and image, and with a field more in the CRD of queues.
func nextVersion(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sparkgate")
	if err := os.CopyFS(dir, os.DirFS(chartFolder())); err != nil {
		t.Fatal(err)
	}
	replace := func(file, old, with string) {
		path, line := filepath.Join(dir, file), regexp.MustCompile("(?m)^"+old+"$")
		data, err := os.ReadFile(path)
		if err != nil || !line.Match(data) {
			t.Fatalf("%s has no line %q: %v", file, old, err)
		}
		writeTo(t, path, line.ReplaceAllString(string(data), with))
	}
	replace("Chart.yaml", "version: .*", "version: 99.0.0")
	replace("Chart.yaml", "appVersion: .*", "appVersion: v99.0.0")
	replace("crds/"+queues+".yaml", "              unlimited:", "              motto:\n                type: string\n              unlimited:")
	return dir
}

func image(t *testing.T) string {
	t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sparkgate"}}
	if !exists(t, d) {
		return ""
	}
	return d.Spec.Template.Spec.Containers[0].Image
}

const next = "docker.io/sparkgate/sparkgate:v99.0.0"

// TestLife installs the chart on a new cluster, upgrades it, goes back, uninstalls it, installs it again, and removes the rest.
func TestLife(t *testing.T) {
	must(t)(helm(t, "install", release, chartFolder(), "--create-namespace"))
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if !exists(t, queue) || !queue.Spec.Unlimited || image(t) == "" {
		t.Fatalf("installed are image %q and the queue %+v", image(t), queue.Spec)
	}
	second(t)
	everyValue(t)
	values(t)
	app := application(t, "default", "pi")
	upgrade(t, queue)
	uninstall(t, app, queue)
	remove(t, app)
}

// second: there is one installation in a cluster. Helm says who has it.
func second(t *testing.T) {
	t.Helper()
	_, err := helm(t, "install", "other", chartFolder(), "--namespace", "other", "--create-namespace")
	if err == nil || !strings.Contains(err.Error(), "cannot be imported into the current release") || !strings.Contains(err.Error(), namespace) {
		t.Errorf("a second installation: %v", err)
	}
}

// everyValue: the API server takes all that the values can change. It has no kinds of the Prometheus Operator.
func everyValue(t *testing.T) {
	t.Helper()
	values := strings.Replace(everything, "monitoring: {enabled: true", "monitoring: {enabled: false", 1)
	must(t)(helm(t, "upgrade", release, chartFolder(), "--values", write(t, "values.yaml", values)))
}

// values of the README are taken by the API server: a queue, a namespace for jobs, the guard. Without them Helm keeps queue and namespace.
func values(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(chartFolder(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```\n")
	must(t)(helm(t, "upgrade", release, chartFolder(), "--values", write(t, "values.yaml", text)))
	guard := &admissionv1.MutatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "sparkgate-guard"}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "spark"}}
	kept := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}},
		&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}},
		&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
	}
	if !exists(t, guard) || !exists(t, account) {
		t.Error("the guard or the account of drivers is missing")
	}
	must(t)(helm(t, "rollback", release, "1"))
	if exists(t, guard) || exists(t, account) {
		t.Error("the guard or the account of drivers is left")
	}
	for _, o := range kept {
		if !exists(t, o) || o.GetDeletionTimestamp() != nil {
			t.Errorf("%T %s is deleted", o, o.GetName())
		}
	}
}

// upgrade goes to the next version, which has another CRD, and back.
func upgrade(t *testing.T, queue *v1alpha1.SparkQueue) {
	t.Helper()
	later, present := nextVersion(t), image(t)
	_, err := helm(t, "upgrade", release, later)
	const want = "the cluster has other CRDs than chart sparkgate 99.0.0: " + queues + ". Helm never changes CRDs. Run `helm show crds CHART | kubectl apply --server-side --force-conflicts -f -`"
	if err == nil || !strings.Contains(err.Error(), want) || image(t) != present {
		t.Fatalf("upgrade with older CRDs: image %s, %v", image(t), err)
	}
	must(t)(env.KubectlWith(t, must(t)(helm(t, "show", "crds", later)), "apply", "--server-side", "--force-conflicts", "-f", "-"))
	must(t)(helm(t, "upgrade", release, later, "--set", "log.level=debug"))
	motto := func() string {
		return must(t)(env.Kubectl(t, "get", "sgq", queue.Name, "--output", "jsonpath={.spec.motto}"))
	}
	eventually(t, "the new field is stored", func(context.Context) bool {
		_, err := env.Kubectl(t, "patch", "sgq", queue.Name, "--type", "merge", "--patch", `{"spec":{"motto":"one by one"}}`)
		return err == nil && motto() == "one by one"
	})
	if image(t) != next {
		t.Errorf("upgraded to image %s", image(t))
	}
	newKind(t, later)
	must(t)(helm(t, "rollback", release, "1"))
	if image(t) != present || motto() != "one by one" {
		t.Errorf("back to image %s, and the queue has the motto %q", image(t), motto())
	}
	if _, err := helm(t, "upgrade", release, chartFolder()); err == nil || !strings.Contains(err.Error(), "set crds.check=false") {
		t.Errorf("upgrade to an older chart: %v", err)
	}
	must(t)(helm(t, "upgrade", release, chartFolder(), "--set", "crds.check=false"))
	must(t)(env.KubectlWith(t, must(t)(helm(t, "show", "crds", chartFolder())), "apply", "--server-side", "--force-conflicts", "-f", "-"))
}

// newKind: a version that brings another kind is refused as well, because Helm creates no CRDs in an upgrade. Without a cluster it is rendered.
func newKind(t *testing.T, chart string) {
	t.Helper()
	const clusters = "sparkclusters.sparkgate.io"
	text, err := os.ReadFile(filepath.Join(chart, "crds", "sparkflavors.sparkgate.io.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("sparkflavor", "sparkcluster", "SparkFlavor", "SparkCluster", "sgflavor", "sgcluster")
	writeTo(t, filepath.Join(chart, "crds", clusters+".yaml"), names.Replace(string(text)))
	if _, err := helm(t, "upgrade", release, chart); err == nil || !strings.Contains(err.Error(), "the cluster has other CRDs than chart sparkgate 99.0.0: "+clusters+".") {
		t.Errorf("upgrade to a chart with another kind: %v", err)
	}
	must(t)(helm(t, "template", release, chart, "--is-upgrade"))
}

// uninstall removes the release while an application runs, and installs it again.
func uninstall(t *testing.T, app *v1alpha1.SparkApplication, queue *v1alpha1.SparkQueue) {
	t.Helper()
	driver := podOf(t, app)
	uid, present := queue.UID, image(t)
	must(t)(helm(t, "uninstall", release))
	if image(t) != "" {
		t.Error("the Deployment is still there")
	}
	for _, o := range []client.Object{app, queue, driver, crd(applications), crd(queues)} {
		if !exists(t, o) || o.GetDeletionTimestamp() != nil {
			t.Errorf("helm uninstall has removed %T %s", o, o.GetName())
		}
	}
	if len(app.Status.Conditions) != 1 {
		t.Errorf("the status of the application is lost: %+v", app.Status)
	}
	must(t)(helm(t, "install", release, chartFolder()))
	if !exists(t, queue) || queue.UID != uid || image(t) != present {
		t.Errorf("installed again: image %s, queue %s, was %s", image(t), queue.UID, uid)
	}
	must(t)(helm(t, "uninstall", release))
}

// podOf returns a driver that runs.
func podOf(t *testing.T, app *v1alpha1.SparkApplication) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.Namespace, Name: app.Name + "-driver", Labels: map[string]string{v1alpha1.ApplicationLabel: app.Name},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(app, v1alpha1.GroupVersion.WithKind("SparkApplication"))},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "driver", Image: "spark:4.1"}}},
	}
	create(t, pod)
	return pod
}

// remove deletes what Helm has left, after the finalizers are gone.
func remove(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	const theirs = "example.com/archive"
	program := harness.Compile(t, "sparkctl")
	archived := application(t, "default", "archived", theirs)
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	out := must(t)(call(t, "", program, "uninstall", "--dry-run"))
	for _, want := range []string{"SparkApplications            2   2 Running\n", "Pods of applications         1   ", "Finalizers to remove         2   sparkgate.io/finalizer"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if _, err := call(t, "no\n", program, "uninstall"); err == nil || !strings.Contains(err.Error(), "nothing was changed") || !exists(t, app) {
		t.Errorf("answered no: %v", err)
	}
	operatorPod(t, program)
	out = must(t)(call(t, "y\n", program, "uninstall"))
	if !strings.Contains(out, "removed 2 of 2 finalizers\n") || exists(t, app) {
		t.Errorf("the application is not deleted, after:\n%s", out)
	}
	if !exists(t, archived) || strings.Join(archived.Finalizers, " ") != theirs {
		t.Errorf("the other application has the finalizers %v", archived.Finalizers)
	}
	if out = must(t)(call(t, "", program, "uninstall")); !strings.Contains(out, "Finalizers to remove         0") {
		t.Errorf("repeated: %s", out)
	}
	archived.Finalizers = nil
	if err := env.Client().Update(t.Context(), archived); err != nil {
		t.Fatal(err)
	}
	deleteCRD(t, applications)
}

// operatorPod: while there is one, sparkctl changes nothing.
func operatorPod(t *testing.T, program string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sparkgate-0", Labels: map[string]string{"app.kubernetes.io/name": "sparkgate"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "operator", Image: "sparkgate:dev"}}},
	}
	create(t, pod)
	if out, err := call(t, "", program, "uninstall", "--yes"); err == nil || !strings.Contains(err.Error(), "the operator still runs: pod sparkgate-0 in namespace sparkgate-system") {
		t.Errorf("with an operator: %v\n%s", err, out)
	}
	if err := env.Client().Delete(t.Context(), pod, client.GracePeriodSeconds(0)); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
