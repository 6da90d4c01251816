// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// manifest writes an application into a file.
func manifest(t *testing.T, app *v1alpha1.SparkApplication, change ...func(string) string) string {
	t.Helper()
	app.TypeMeta.Kind, app.TypeMeta.APIVersion = v1alpha1.SparkApplicationKind, v1alpha1.GroupVersion.String()
	data, err := yaml.Marshal(app)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "status:\n")
	for _, c := range change {
		text = c(text)
	}
	file := filepath.Join(t.TempDir(), "app.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// started runs sparkctl in the background.
func (u user) started(args ...string) (c *exec.Cmd, out, notes *output) {
	u.t.Helper()
	out, notes = &output{}, &output{}
	c = u.command(args...)
	c.Stdout, c.Stderr = out, notes
	if err := c.Start(); err != nil {
		u.t.Fatal(err)
	}
	return c, out, notes
}

// codeOf waits for the end of a program.
func codeOf(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

// TestSubmitAndWait: the exit code is that of the run, and the log is printed meanwhile.
func TestSubmitAndWait(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	me := as(t, admin(), "default")
	pi := manifest(t, w.Pi("pi"))
	c, out, notes := me.started("submit", "-f", pi, "--logs")
	notes.until(t, "sparkapplication.sparkgate.io/pi created in namespace "+w.Namespace)
	app := w.Pi("pi")
	driver := w.Run(app)
	n.Writes(driver, "Pi is roughly 3.1\n")
	out.until(t, "Pi is roughly 3.1\n")
	n.Ends(driver)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	if code := codeOf(t, c); code != 0 {
		t.Errorf("succeeded: exit code %d: %s", code, notes)
	}
	me.fails(1, []string{"submit", "-f", pi}, "sparkapplication pi exists in namespace "+w.Namespace)

	c, out, notes = me.started("rerun", "pi", "-n", w.Namespace, "--wait")
	out.until(t, "another run is requested")
	harness.Eventually(t, app, "in its second run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
	driver = w.Run(app)
	n.Ends(driver)
	w.Kubelet.Finish(t.Context(), driver, 7, "Error")
	if code := codeOf(t, c); code != 3 || !strings.Contains(notes.String(), "run 2 of pi has failed: Failed: ") {
		t.Errorf("failed: exit code %d: %s", code, notes)
	}
	me.sees([]string{"delete", "pi", "-n", w.Namespace}, "sparkapplication.sparkgate.io/pi deleted")
	me.fails(1, []string{"delete", "pi", "-n", w.Namespace}, "sparkapplication pi not found")
}

// TestWaitThatEndsEarly: after a timeout or Ctrl-C the run continues; a run that cannot begin is not waited for.
func TestWaitThatEndsEarly(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	me.fails(4, []string{"submit", "-f", manifest(t, w.Pi("slow")), "--wait", "--timeout", "1s"}, "is not over after 1s. The run continues: sparkctl suspend slow -n "+w.Namespace)

	c, _, notes := me.started("submit", "-f", manifest(t, w.Pi("long")), "--wait")
	long := w.Pi("long")
	w.Run(long)
	notes.until(t, "attempt 1: Running: ")
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := codeOf(t, c); code != 130 || !strings.Contains(notes.String(), "The run continues: sparkctl suspend long -n "+w.Namespace+" stops it") {
		t.Errorf("interrupted: exit code %d: %s", code, notes)
	}
	w.Reach(long, v1alpha1.RunningReason)

	invalid := w.Pi("invalid")
	invalid.Spec.MainApplicationFile = "job.py" // it has no scheme
	for _, how := range []string{"--wait", "--logs"} {
		me.fails(3, []string{"submit", "-f", manifest(t, invalid), how}, "the run of invalid cannot continue: InvalidSpec: ")
		me.sees(words("delete invalid"))
	}
	unknown := func(text string) string { return strings.Replace(text, "  image:", "  immage: x\n  image:", 1) }
	me.fails(1, []string{"submit", "-f", manifest(t, w.Pi("typo"), unknown)}, `unknown field "spec.immage"`)
	me.fails(2, words("submit"), "name a manifest with -f FILE")
	me.fails(1, words("submit -f "+filepath.Join(env.Root(), "config/queues")+"/none.yaml"), "read the manifest")
	me.fails(1, words("submit -- --deploy-mode client a.py"), "drivers always run in a pod")

}

// TestSubmitLikeSparkSubmit: a line of CI that called spark-submit works with submit: it waits, its exit code is that of
// the driver, which the last line repeats, and a key of its command line is in Secrets and nowhere else.
func TestSubmitLikeSparkSubmit(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: w.Queue.Name}
	})
	me := as(t, admin(), w.Namespace)
	line := []string{
		"submit", "-n", w.Namespace, "-o", "name", "--spark-version", "4.1.4", "--", "--name", "from submit", "--conf", "spark.kubernetes.container.image=spark",
		"--conf", "spark.hadoop.fs.s3a.secret.key=hunter2", "local:///a.py",
	}
	c, out, notes := me.started(line...)
	out.until(t, "sparkapplication.sparkgate.io/from-submit-")
	name := strings.TrimSpace(strings.TrimPrefix(out.String(), "sparkapplication.sparkgate.io/"))
	app := w.Pi(name)
	driver := w.Run(app)
	if text := fmt.Sprint(app.Spec, driver.Spec); strings.Contains(text, "hunter2") {
		t.Errorf("the key is in the application or its pod: %s", text)
	}
	secret := &corev1.Secret{}
	if err := env.Client().Get(t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name + "-secrets"}, secret); err != nil {
		t.Fatal(err)
	}
	if string(secret.Data["spark.hadoop.fs.s3a.secret.key"]) != "hunter2" || len(secret.OwnerReferences) != 1 || secret.OwnerReferences[0].UID != app.UID {
		t.Errorf("the Secret: %+v", secret)
	}
	w.Kubelet.Finish(t.Context(), driver, 7, "Error")
	if code := codeOf(t, c); code != 7 || !strings.HasSuffix(notes.String(), "\nexit code: 7\n") || strings.Contains(notes.String(), "hunter2") {
		t.Errorf("exit code %d: %s", code, notes)
	}
	again := append(append([]string{}, line[:len(line)-1]...), "--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///a.py")
	me.sees(again, "sparkapplication.sparkgate.io/from-submit-")
}

// TestStopAndContinue: suspend stops a run, resume continues it, kill is suspend.
func TestStopAndContinue(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	app := w.Apply("pi")
	w.Run(app)
	me.sees(words("suspend pi"), "sparkapplication.sparkgate.io/pi suspended; sparkctl resume pi -n "+w.Namespace+" continues the run")
	w.Reach(app, v1alpha1.SuspendedReason)
	me.sees(words("rerun pi"), "it is suspended: resume it")
	me.sees(words("resume sgapp/pi"), "resumed")
	w.Run(app)
	if app.Spec.Suspend || app.Status.Resumes != 1 && app.Status.Run != 2 {
		t.Errorf("resumed: %s", harness.Show(app))
	}
	me.sees(words("kill pi"), "suspended")
	w.Reach(app, v1alpha1.SuspendedReason)
	me.fails(1, words("suspend ip"), "sparkapplication ip not found in namespace "+w.Namespace+": did you mean pi?")
	nightly := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"}}
	nightly.Spec.Schedule, nightly.Spec.Template.Spec.Raw = "@yearly", []byte("{}")
	harness.Create(t, nightly)
	me.fails(1, words("suspend nightly"), "sparkapplication nightly not found in namespace "+w.Namespace+
		": it is a schedule: sparkctl schedule suspend nightly -n "+w.Namespace+" stops it, sparkctl list -n "+w.Namespace+" -l sparkgate.io/schedule=nightly lists its applications")
	for command, instead := range map[string]string{
		"resume": "sparkctl schedule resume nightly -n %s continues it", "rerun": "sparkctl schedule run nightly -n %s runs it now", "kill": "sparkctl schedule suspend nightly -n %s stops it",
		"delete": "kubectl delete scheduledsparkapplication nightly -n %s deletes it", "logs": "sparkctl schedule next nightly -n %s shows it",
		"get": "sparkctl schedule next nightly -n %s shows it", "explain": "sparkctl schedule next nightly -n %s shows it", "events": "sparkctl schedule next nightly -n %s shows it",
	} {
		me.fails(1, words(command+" nightly"), ": it is a schedule: "+fmt.Sprintf(instead, w.Namespace)+", sparkctl list -n ")
	}
	me.sees(words("delete pi --wait=false"), "is being deleted")
	harness.Gone(t, app)
}

// TestGitSetsBack: who changes by hand what Git declares reads who will set it back, before it happens; what Git does not
// declare stays, so there is nothing to say.
func TestGitSetsBack(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	labels := map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
	spec := map[string]any{"schedule": "@yearly", "suspend": false, "template": map[string]any{"spec": map[string]any{}}}
	flux := func(kind, name string, spec map[string]any) {
		t.Helper()
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": kind, "spec": spec}}
		o.SetNamespace(w.Namespace)
		o.SetName(name)
		o.SetLabels(labels)
		if err := env.Client().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kustomize-controller"), client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
	}
	warned := func(command, want string) {
		t.Helper()
		if r := me.calls(words(command)...); r.code != 0 || r.problem != want {
			t.Errorf("sparkctl %s: exit code %d: %s%s\nwant %s", command, r.code, r.out, r.problem, want)
		}
	}
	const setBack = ": Kustomization flux-system/jobs declares spec.suspend and sets it back at its next reconciliation: " +
		"change it in Git, or first run flux suspend kustomization jobs -n flux-system\n"
	flux("ScheduledSparkApplication", "nightly", spec)
	warned("schedule suspend nightly", "warning: scheduledsparkapplication.sparkgate.io/nightly"+setBack)
	flux("ScheduledSparkApplication", "nightly", spec)
	warned("schedule suspend nightly", "warning: scheduledsparkapplication.sparkgate.io/nightly"+setBack)
	delete(spec, "suspend")
	flux("ScheduledSparkApplication", "nightly", spec)
	warned("schedule resume nightly", "")

	app := map[string]any{"type": "Python", "sparkVersion": "4.1.4", "image": "spark", "mainApplicationFile": "local:///a.py", "suspend": true}
	flux("SparkApplication", "pi", app)
	warned("resume pi", "warning: sparkapplication.sparkgate.io/pi"+setBack)
	warned("delete pi", "warning: sparkapplication.sparkgate.io/pi: Kustomization flux-system/jobs creates it again at its next reconciliation, and it runs again: "+
		"remove its manifest there\n")
	untracked := w.Pi("own")
	harness.Create(t, untracked)
	warned("suspend own", "")
	warned("delete own", "")
}

// TestRestartAStream: rerun stops the run that is under way, and with --wait ends when the stream is ready again, not before.
func TestRestartAStream(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	stream := w.Pi("stream")
	stream.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
	isReady := func(app *v1alpha1.SparkApplication) bool {
		return apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.ReadyCondition)
	}
	first, _, notes := me.started("submit", "-f", manifest(t, stream), "--wait")
	w.Kubelet.Executors(t.Context(), w.Run(stream), 2)
	if code := codeOf(t, first); code != 0 {
		t.Errorf("started: exit code %d: %s", code, notes)
	}
	harness.Eventually(t, stream, "ready", isReady)
	again, out, notes := me.started("rerun", "stream", "--wait")
	out.until(t, "another run is requested; run 1 is stopped for it (onTemplateChange Restart)")
	harness.Eventually(t, stream, "in its second run", func(app *v1alpha1.SparkApplication) bool { return app.Status.Run == 2 && !isReady(app) })
	driver := w.Run(stream)
	notes.until(t, "run 2, attempt 1: Running: ")
	w.Kubelet.Executors(t.Context(), driver, 2)
	if code := codeOf(t, again); code != 0 {
		t.Errorf("restarted: exit code %d: %s", code, notes)
	}
	harness.Eventually(t, stream, "ready in its second run", func(app *v1alpha1.SparkApplication) bool { return app.Status.Run == 2 && isReady(app) })
}
