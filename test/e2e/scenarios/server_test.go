// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// greets opens a connection as clients of gRPC do, and prints the type of the server's first frame: 4 is SETTINGS.
const greets = `import socket; s = socket.create_connection(("%s", 15002), 10); s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)); print("frame", s.recv(9)[3])`

// TestASparkConnectServerServes: six lines give a server that is Ready once it answers at its stable name, and that comes back when its
// driver is killed.
func TestASparkConnectServerServes(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("notebooks", s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.MainApplicationFile, spec.Arguments, spec.Server = "", nil, &v1alpha1.Server{Type: v1alpha1.ConnectServer}
		spec.Executor.Instances, spec.RestartPolicy = nil, nil
	}))
	driver := answers(t, s, 1)
	s.Kubectl("delete", "pod", driver)
	if again := answers(t, s, 2); again == driver {
		t.Errorf("pod %s was killed and serves", driver)
	}
	s.Kubectl("delete", "sgapp", "notebooks")
	awaitNoPods(s, "notebooks")
	s.GivenBack(s.Name)
}

// answers waits until an attempt of the server is ready, and asks it by the name that clients use. It returns its pod.
func answers(t *testing.T, s *env.Namespace, attempt int64) string {
	t.Helper()
	app := s.Shows("notebooks", "serving", func(app *v1alpha1.SparkApplication) error {
		if ready := env.Condition(app, v1alpha1.ReadyCondition); app.Status.Attempt != attempt || ready.Status != metav1.ConditionTrue {
			return fmt.Errorf("attempt %d, Ready is %s: %s", app.Status.Attempt, ready.Status, ready.Message)
		}
		return nil
	})
	driver := app.Status.Driver.PodName
	said := s.Kubectl("exec", driver, "-c", "spark-kubernetes-driver", "--", "python3", "-c", fmt.Sprintf(greets, "notebooks."+s.Name))
	if !strings.Contains(said, "frame 4") {
		t.Errorf("the server does not speak gRPC: %s", said)
	}
	return driver
}
