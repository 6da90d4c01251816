// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// sigtermExit is the exit code of a driver that SIGTERM has ended: 128 + 15.
const sigtermExit = 143

// Deleting a running job stops it gracefully and releases everything.
func TestDeletedJobStopsGracefully(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("600")))
	s.Reaches("pi", env.First, v1alpha1.RunningReason)
	awaitExecutors(s, "pi", 2)

	s.Kubectl("delete", "sgapp", "pi", "--timeout=10m")
	awaitNoPods(s, "pi")
	checkGracefulEnd(t, s, "pi")
	awaitNoObjects(t, s, "pi")
	s.GivenBack(s.Name)
}

// A job that is deleted without its finalizer leaves nothing behind.
func TestJobDeletedWithoutItsFinalizer(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("600")))
	s.Reaches("pi", env.First, v1alpha1.RunningReason)
	awaitExecutors(s, "pi", 2)

	s.Kubectl("delete", "sgapp", "pi", "--wait=false")
	app := &v1alpha1.SparkApplication{}
	app.Namespace, app.Name = s.Name, "pi"
	strip := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := client.IgnoreNotFound(env.Client().Patch(t.Context(), app, strip)); err != nil {
		t.Fatal(err)
	}
	s.Gone("pi")
	awaitNoPods(s, "pi")
	awaitNoObjects(t, s, "pi")
	s.GivenBack(s.Name)
}

// checkGracefulEnd checks that the driver was asked to end, was given time, and ended because of that.
func checkGracefulEnd(t *testing.T, s *env.Namespace, name string) {
	t.Helper()
	for _, driver := range s.Pods(name, v1alpha1.SparkRoleDriver) {
		if grace := driver.DeletionGracePeriodSeconds; driver.DeletionTimestamp == nil || grace == nil {
			t.Errorf("driver %s went without being asked to", driver.Name)
		}
		if code := exitCode(driver.Pod); code != sigtermExit {
			t.Errorf("driver %s ended with exit code %d, want %d: SIGTERM and time to act on it", driver.Name, code, sigtermExit)
		}
	}
}

// exitCode returns the exit code of the first container of a pod; -1 if it has not ended.
func exitCode(pod *corev1.Pod) int32 {
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Terminated != nil {
			return c.State.Terminated.ExitCode
		}
	}
	return -1
}

// awaitNoObjects waits until neither Service nor ConfigMap of an application is left.
func awaitNoObjects(t *testing.T, s *env.Namespace, name string) {
	t.Helper()
	s.Await("the objects of "+name+" to be gone", func() error {
		if left := objectsOf(t, s, name); len(left) > 0 {
			return fmt.Errorf("%T %s and %d more are left", left[0], left[0].GetName(), len(left)-1)
		}
		return nil
	})
}
