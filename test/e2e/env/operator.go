// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The operator's Deployment.
const (
	operatorNamespace = "sparkgate-system"
	operatorName      = "sparkgate"
)

// StopOperator scales the operator to zero and waits until it is gone. It is started again at the end of the test.
func StopOperator(t *testing.T) {
	t.Helper()
	scale(t, "0")
	t.Cleanup(func() { StartOperator(t) })
	waitFor(t, "the operator to be gone", func(ctx context.Context) (bool, error) {
		pods, err := operatorPods(ctx)
		return len(pods) == 0, err
	})
}

// StartOperator scales the operator to one and waits until it is ready.
func StartOperator(t *testing.T) {
	t.Helper()
	scale(t, "1")
	if _, err := kubectl(context.Background(), "", "--namespace", operatorNamespace, "rollout", "status", "deployment/"+operatorName, "--timeout", Patience.String()); err != nil {
		t.Fatal(err)
	}
}

func scale(t *testing.T, replicas string) {
	t.Helper()
	// The context of a test is over in its clean-up.
	if _, err := kubectl(context.Background(), "", "--namespace", operatorNamespace, "scale", "deployment/"+operatorName, "--replicas", replicas); err != nil {
		t.Fatal(err)
	}
}

// KillOperator sends SIGKILL to the process in the operator's pod and waits until the kubelet has started another one.
func KillOperator(t *testing.T) {
	t.Helper()
	status := runningOperator(t)
	pid, err := processOf(status)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill process %d of the operator: %v", pid, err)
	}
	waitFor(t, "the operator to be started again", func(ctx context.Context) (bool, error) {
		pods, err := operatorPods(ctx)
		if err != nil || len(pods) != 1 || len(pods[0].Status.ContainerStatuses) != 1 {
			return false, err
		}
		now := pods[0].Status.ContainerStatuses[0]
		return now.RestartCount > status.RestartCount && now.State.Running != nil, nil
	})
}

// runningOperator waits until exactly one operator runs.
func runningOperator(t *testing.T) (status corev1.ContainerStatus) {
	t.Helper()
	waitFor(t, "one running operator", func(ctx context.Context) (bool, error) {
		pods, err := operatorPods(ctx)
		if err != nil || len(pods) != 1 || len(pods[0].Status.ContainerStatuses) != 1 {
			return false, err
		}
		status = pods[0].Status.ContainerStatuses[0]
		return status.State.Running != nil, nil
	})
	return status
}

// processOf finds the first process of a container by its control group, whose name contains the container's id.
func processOf(status corev1.ContainerStatus) (int, error) {
	_, id, _ := strings.Cut(status.ContainerID, "://")
	container := []byte(id)
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return 0, err
	}
	for _, group := range groups {
		text, err := os.ReadFile(group)
		if err != nil || !bytes.Contains(text, container) {
			// Most entries are other processes; some are gone by now.
			continue
		}
		return strconv.Atoi(filepath.Base(filepath.Dir(group)))
	}
	return 0, fmt.Errorf("no process of container %s: the tests have to run on the node", container)
}

func operatorPods(ctx context.Context) ([]corev1.Pod, error) {
	pods := &corev1.PodList{}
	err := cluster.client.List(ctx, pods, client.InNamespace(operatorNamespace), client.MatchingLabels{"app.kubernetes.io/name": operatorName})
	return pods.Items, err
}

// waitFor polls until done returns true.
func waitFor(t *testing.T, what string, done wait.ConditionWithContextFunc) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(context.Background(), 200*time.Millisecond, Patience, true, done); err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}
