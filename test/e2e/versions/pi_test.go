// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package versions

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestSlowAJobInTheJVMSucceeds(t *testing.T) {
	t.Parallel()
	testPiSucceeds(t, "java.yaml")
}

func TestSlowAJobInPythonSucceeds(t *testing.T) {
	t.Parallel()
	testPiSucceeds(t, "pi.yaml")
}

// testPiSucceeds runs an application of the folder examples, with two executors; the job waits for both.
func testPiSucceeds(t *testing.T, file string) {
	version := sparkVersion(t)
	s := env.NewTenant(t, 1)
	app := env.Example(t, file)
	app.Namespace, app.Spec.Queue.Name = "", s.Name
	app.Spec.SparkVersion = version
	app.Spec.Image = "docker.io/sparkgate/spark:" + minorOf(version)
	app.Spec.SparkConf["spark.scheduler.minRegisteredResourcesRatio"] = "1.0"
	app.Spec.SparkConf["spark.scheduler.maxRegisteredResourcesWaitingTime"] = "5m"
	s.Apply(env.Queue(s.Name, "1", "3Gi"), app)

	s.Reaches(app.Name, env.First, v1alpha1.RunningReason)
	s.RunningExecutors(app.Name, 2)
	checkPods(t, s, app.Name)
	checkObjects(t, s, app.Name)

	end := s.Reaches(app.Name, env.First, v1alpha1.SucceededReason)
	if a := end.Status.Attempts; len(a) != 1 || a[0].Outcome != v1alpha1.OutcomeSucceeded || a[0].ExitCode == nil || *a[0].ExitCode != 0 {
		t.Errorf("the history is %+v, want one success with exit code 0", a)
	}
	checkLog(t, s.Kubectl("logs", end.Status.Driver.PodName))
	if services := named(t, s, app.Name, &corev1.ServiceList{}); len(services) != 0 {
		t.Errorf("Services %v are left after the end", services)
	}
	s.GivenBack(s.Name)
}

// sparkVersion returns the version in the image that the cluster has.
func sparkVersion(t *testing.T) string {
	t.Helper()
	version := os.Getenv("SPARK_TEST_VERSION")
	if version == "" {
		t.Fatal("SPARK_TEST_VERSION does not name the Spark version, such as 4.3.0: run `make e2e-versions`")
	}
	return version
}

// minorOf cuts a version such as 4.3.0 down to 4.3.
func minorOf(version string) string { return version[:strings.LastIndex(version, ".")] }

// checkPods checks that driver and executors name their version, have its image, and share the application id.
func checkPods(t *testing.T, s *env.Namespace, name string) {
	t.Helper()
	version, app := sparkVersion(t), s.Application(name)
	for role, want := range map[string]int{v1alpha1.SparkRoleDriver: 1, v1alpha1.SparkRoleExecutor: 2} {
		pods := s.Pods(name, role)
		if len(pods) != want {
			t.Errorf("there were %d pods with role %s, want %d", len(pods), role, want)
		}
		for _, pod := range pods {
			got := map[string]string{
				"version": pod.Labels["spark-version"], "id": pod.Labels[v1alpha1.SparkSelectorLabel],
				"uid": pod.Labels[v1alpha1.ApplicationUIDLabel], "image": pod.Spec.Containers[0].Image,
			}
			want := map[string]string{
				"version": version, "id": app.Status.Driver.ApplicationID, "uid": string(app.UID), "image": app.Spec.Image,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", role, pod.Name, diff)
			}
		}
	}
}

// since has, for each object, the minor versions whose client creates it.
var since = struct{ connectPort, networkPolicy []string }{
	connectPort:   []string{"4.1", "4.2", "4.3"},
	networkPolicy: []string{"4.2", "4.3"},
}

// checkObjects checks the objects that a client of the version creates besides the driver.
func checkObjects(t *testing.T, s *env.Namespace, name string) {
	t.Helper()
	minor := minorOf(sparkVersion(t))
	services := &corev1.ServiceList{}
	if names := named(t, s, name, services); len(names) != 1 {
		t.Fatalf("the Services are %v, want one", names)
	}
	var ports []string
	for _, port := range services.Items[0].Spec.Ports {
		ports = append(ports, port.Name)
	}
	want := []string{"driver-rpc-port", "blockmanager", "spark-ui"}
	if slices.Contains(since.connectPort, minor) {
		want = append(want, "spark-connect")
	}
	if diff := cmp.Diff(want, ports); diff != "" {
		t.Errorf("ports of the Service (-want +got):\n%s", diff)
	}
	policies := &networkingv1.NetworkPolicyList{}
	names := named(t, s, name, policies)
	if !slices.Contains(since.networkPolicy, minor) {
		if len(names) != 0 {
			t.Errorf("there are NetworkPolicies %v, Spark %s has none", names, minor)
		}
		return
	}
	if len(names) != 1 {
		t.Fatalf("the NetworkPolicies are %v, want one", names)
	}
	selected := policies.Items[0].Spec.PodSelector.MatchLabels
	for _, pod := range s.Pods(name, v1alpha1.SparkRoleExecutor) {
		for key, value := range selected {
			if pod.Labels[key] != value {
				t.Errorf("the NetworkPolicy selects %s=%s, executor %s has %q", key, value, pod.Name, pod.Labels[key])
			}
		}
	}
}

// named lists the objects of an application of one kind, and returns their names.
func named(t *testing.T, s *env.Namespace, name string, list client.ObjectList) []string {
	t.Helper()
	if err := env.Client().List(t.Context(), list, client.InNamespace(s.Name), client.MatchingLabels{v1alpha1.ApplicationLabel: name}); err != nil {
		t.Fatal(err)
	}
	var names []string
	switch l := list.(type) {
	case *corev1.ServiceList:
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
	case *networkingv1.NetworkPolicyList:
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
	}
	return names
}

// checkLog checks that the driver is of the version, that both executors have joined it, and that there is a result.
func checkLog(t *testing.T, log string) {
	t.Helper()
	for _, want := range []string{
		"Running Spark version " + regexp.QuoteMeta(sparkVersion(t)), "Registered executor .* with ID 1", "Registered executor .* with ID 2",
		`Pi is roughly 3\.1`,
	} {
		if !regexp.MustCompile(want).MatchString(log) {
			t.Error(fmt.Sprintf("the driver's log has no line with %q:\n", want) + log)
		}
	}
}
