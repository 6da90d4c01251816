// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// fullDisk is an output that accepts nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// driverPod returns a driver that has ended.
func driverPod() corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "driver", UID: "driver"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark-kubernetes-driver"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "spark-kubernetes-driver", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
		}}},
	}
}

// TestOutputThatTakesNoMore: output that cannot be written is an error, also for commands that end without another
// write.
func TestOutputThatTakesNoMore(t *testing.T) {
	t.Parallel()
	ended := applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", nil)
	running := applicationWith(v1alpha1.RunningReason, "the driver runs", nil)
	for line, app := range map[string][]reply{
		"logs pi": ended, "logs pi -f": ended, "watch": running, "watch --until-ended": running, "list": ended, "get pi": ended,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				apis + "namespaces/spark/sparkapplications/pi": app, apis + "namespaces/spark/sparkapplications": listOf(app[0].body),
				"GET /api/v1/namespaces/spark/pods": listOf(driverPod()), "GET /api/v1/namespaces/spark/pods/driver/log": {{200, "a line"}},
			})
			var problems strings.Builder
			code := run(append(strings.Fields(line), "--kubeconfig="+kubeconfig), cli.Streams{In: strings.NewReader(""), Out: fullDisk{}, Err: &problems})
			if code != cli.ExitFailed || !strings.Contains(problems.String(), "no space left on device") {
				t.Errorf("exit code %d: %s", code, problems.String())
			}
		})
	}
}
