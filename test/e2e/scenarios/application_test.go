// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// example reads an application of the folder examples, and changes only its namespace and its queue.
func example(t *testing.T, file, queue string) *v1alpha1.SparkApplication {
	t.Helper()
	app := env.Example(t, file)
	app.Namespace, app.Spec.Queue.Name = "", queue
	return app
}

func TestAJobInTheJVMSucceeds(t *testing.T) {
	t.Parallel()
	testExampleSucceeds(t, "java.yaml")
}

func TestAJobInPythonSucceeds(t *testing.T) {
	t.Parallel()
	testExampleSucceeds(t, "pi.yaml")
}

func testExampleSucceeds(t *testing.T, file string) {
	s := env.NewTenant(t, 1)
	app := example(t, file, s.Name)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), app)
	ready := s.KubectlBackground("wait", "--for=condition=Ready", "sgapp/"+app.Name, "--timeout=10m")

	s.Reaches(app.Name, env.First, v1alpha1.RunningReason)
	awaitExecutors(s, app.Name, 2)
	checkObjects(t, s, app.Name)
	if !ready.Running() {
		t.Error("kubectl wait --for=condition=Ready returned before the end of the run")
	}
	end := s.Reaches(app.Name, env.First, v1alpha1.SucceededReason)
	ready.Succeeds()

	checkStageOrder(t, s.Stages(app.Name, env.First))
	if c := env.Condition(end, v1alpha1.FinishedCondition); c.Status != metav1.ConditionTrue {
		t.Errorf("Finished is %q at the end", c.Status)
	}
	if a := end.Status.Attempts; len(a) != 1 || a[0].Outcome != v1alpha1.OutcomeSucceeded || a[0].ExitCode == nil || *a[0].ExitCode != 0 {
		t.Errorf("the history is %+v, want one success with exit code 0", a)
	}
	if log := s.Kubectl("logs", end.Status.Driver.PodName); !strings.Contains(log, "Pi is roughly 3.1") {
		t.Errorf("the driver's log has no result: %s", log)
	}
	s.GivenBack(s.Name)
	awaitNoPods(s, app.Name, v1alpha1.SparkRoleExecutor)
	checkColumns(t, s.Kubectl("get", "sgapp", app.Name))
}

// checkStageOrder checks that the stages come in the order of the story. Stages that share their status write with the
// next one may be missing.
func checkStageOrder(t *testing.T, got []string) {
	t.Helper()
	story := []string{v1alpha1.QueuedReason, v1alpha1.SubmittingReason, v1alpha1.StartingReason, v1alpha1.RunningReason,
		v1alpha1.FinalizingReason, v1alpha1.SucceededReason}
	want := slices.DeleteFunc(slices.Clone(story), func(stage string) bool { return !slices.Contains(got, stage) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the stages do not follow the order of the story (-want +got):\n%s", diff)
	}
	for _, stage := range []string{v1alpha1.SubmittingReason, v1alpha1.RunningReason, v1alpha1.SucceededReason} {
		if !slices.Contains(got, stage) {
			t.Errorf("stage %s was never shown: %v", stage, got)
		}
	}
}

// checkColumns checks what kubectl get shows of an application that has succeeded.
func checkColumns(t *testing.T, table string) {
	t.Helper()
	header, line, _ := strings.Cut(strings.TrimSpace(table), "\n")
	want := []string{"NAME", "READY", "STAGE", "QUEUE", "ATTEMPT", "EXECUTORS", "AGE"}
	if diff := cmp.Diff(want, strings.Fields(header)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if fields := strings.Fields(line); len(fields) != len(want) || fields[1] != "True" || fields[2] != v1alpha1.SucceededReason || fields[4] != "1" {
		t.Errorf("the line is %q", line)
	}
}

// checkObjects checks names and labels of everything that belongs to a running application.
func checkObjects(t *testing.T, s *env.Namespace, name string) {
	t.Helper()
	list := s.Kubectl("get", "pod,service,configmap", "--selector", v1alpha1.ApplicationLabel+"="+name, "--output", "name")
	prefix := regexp.QuoteMeta(name) + "-[a-z0-9]{5}-1-1"
	for _, want := range []string{"pod/" + prefix + "-driver", "pod/" + prefix + "-exec-1", "pod/" + prefix + "-exec-2",
		"service/" + prefix + "-driver-svc", "configmap/" + prefix + "-driver-conf-map"} {
		if !regexp.MustCompile(`(?m)^` + want + `$`).MatchString(list) {
			t.Errorf("no object is named %s:\n%s", want, list)
		}
	}
	app := s.Application(name)
	want := map[string]string{
		v1alpha1.ApplicationLabel: name, v1alpha1.ApplicationUIDLabel: string(app.UID), v1alpha1.QueueLabel: s.Name,
		v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1", v1alpha1.SparkSelectorLabel: app.Status.Driver.ApplicationID,
	}
	for _, role := range []string{v1alpha1.SparkRoleDriver, v1alpha1.SparkRoleExecutor} {
		want[v1alpha1.SparkRoleLabel] = role
		for _, pod := range s.Pods(name, role) {
			checkLabels(t, pod, want)
		}
	}
	delete(want, v1alpha1.SparkRoleLabel)
	delete(want, v1alpha1.SparkSelectorLabel)
	for _, object := range objectsOf(t, s, name) {
		checkLabels(t, object, want)
	}
}

// objectsOf returns the Service and the ConfigMaps of an application.
func objectsOf(t *testing.T, s *env.Namespace, name string) []client.Object {
	t.Helper()
	var objects []client.Object
	services, maps := &corev1.ServiceList{}, &corev1.ConfigMapList{}
	for _, list := range []client.ObjectList{services, maps} {
		if err := env.Client().List(t.Context(), list, client.InNamespace(s.Name), client.MatchingLabels{v1alpha1.ApplicationLabel: name}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range services.Items {
		objects = append(objects, &services.Items[i])
	}
	for i := range maps.Items {
		objects = append(objects, &maps.Items[i])
	}
	return objects
}

// checkLabels checks that the object has at least these labels.
func checkLabels(t *testing.T, object client.Object, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if got := object.GetLabels()[key]; got != value {
			t.Errorf("%T %s has label %s=%q, want %q", object, object.GetName(), key, got, value)
		}
	}
}

func TestAFailedJobReportsExitCodeAndCause(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("fail", s.Name, env.Fail("7")))
	s.Kubectl("wait", "--for=condition=Finished", "sgapp/fail", "--timeout=10m")

	end := s.Becomes("fail", v1alpha1.FailedReason)
	ready, stalled := env.Condition(end, v1alpha1.ReadyCondition), env.Condition(end, v1alpha1.StalledCondition)
	if ready.Status != metav1.ConditionFalse || stalled.Status != metav1.ConditionTrue || ready.Reason != stalled.Reason {
		t.Errorf("Ready is %s/%s, Stalled %s/%s, want False and True with one reason", ready.Status, ready.Reason, stalled.Status, stalled.Reason)
	}
	for _, want := range []string{"exit code 7", "failed"} {
		if !strings.Contains(ready.Message, want) {
			t.Errorf("the message does not tell %q: %s", want, ready.Message)
		}
	}
	if len(end.Status.Attempts) != 1 {
		t.Fatalf("the history is %+v, want one attempt", end.Status.Attempts)
	}
	a := end.Status.Attempts[0]
	if a.Outcome != v1alpha1.OutcomeFailed || a.Cause != v1alpha1.CauseApplication || a.ExitCode == nil || *a.ExitCode != 7 || a.StartedAt == nil {
		t.Errorf("the attempt is %+v, want Failed by the application with exit code 7", a)
	}
	s.GivenBack(s.Name)
	log := s.Kubectl("logs", end.Status.Driver.PodName)
	if !strings.Contains(log, "Exiting with code 7") {
		t.Errorf("the log of the failed driver is not there: %s", log)
	}
}
