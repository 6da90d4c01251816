// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

const (
	// kubeflowVariable names the program of kubeflow's operator, kubeflowCRDsVariable the folder of its CRDs.
	kubeflowVariable, kubeflowCRDsVariable = "PEERS_KUBEFLOW", "PEERS_KUBEFLOW_CRDS"
	// sparkHomeVariable names the Spark distribution whose spark-submit it calls.
	sparkHomeVariable = "SPARK_HOME"
)

// kubeflowPeer returns the controller of kubeflow's operator as it is shipped, except for metrics and leader election.
// Its webhook does not run: these applications do not need it.
func (b *bench) kubeflowPeer(kubeconfig, program string) (peer, error) {
	if os.Getenv(sparkHomeVariable) == "" {
		return peer{}, fmt.Errorf("it calls spark-submit; set %s to a Spark distribution", sparkHomeVariable)
	}
	if _, err := envtest.InstallCRDs(b.server.Config, envtest.CRDInstallOptions{
		Paths: []string{os.Getenv(kubeflowCRDsVariable)}, ErrorIfPathMissing: true,
	}); err != nil {
		return peer{}, fmt.Errorf("install the CRDs of %s: %w", kubeflowCRDsVariable, err)
	}
	server, err := url.Parse(b.server.Config.Host)
	if err != nil {
		return peer{}, err
	}
	kind := schema.GroupVersionKind{Group: "sparkoperator.k8s.io", Version: "v1beta2", Kind: "SparkApplication"}
	p := peer{
		name: "kubeflow spark-operator", kind: kind, label: "sparkoperator.k8s.io/app-name", ended: "COMPLETED", failed: "FAILED",
		start: func() (*host.Operator, error) {
			return host.StartPeer(b.server, program, []string{"controller", "start", "--leader-election=false", "--health-probe-bind-address=0"},
				"KUBECONFIG="+kubeconfig, "KUBERNETES_SERVICE_HOST="+server.Hostname(), "KUBERNETES_SERVICE_PORT="+server.Port())
		},
		application: func(namespace string, i int) client.Object { return kubeflowApplication(kind, namespace, i) },
		stage: func(app *unstructured.Unstructured) string {
			state, _, _ := unstructured.NestedString(app.Object, "status", "applicationState", "state")
			return state
		},
	}
	p.makeEnded = func(ctx context.Context, namespace string, n int) error {
		return load.InParallel(ctx, n, func(ctx context.Context, i int) error {
			app := kubeflowApplication(kind, namespace, i)
			if err := b.user.Client.Create(ctx, app); err != nil {
				return err
			}
			now := time.Now().UTC().Format(time.RFC3339)
			app.Object["status"] = map[string]any{
				"applicationState": map[string]any{"state": p.ended}, "driverInfo": map[string]any{"podName": app.GetName() + "-driver"},
				"lastSubmissionAttemptTime": now, "terminationTime": now, "submissionAttempts": int64(1), "executionAttempts": int64(1),
			}
			return b.user.Client.Status().Update(ctx, app)
		})
	}
	return p, nil
}

// kubeflowApplication returns the same job as load.Application.
func kubeflowApplication(kind schema.GroupVersionKind, namespace string, i int) *unstructured.Unstructured {
	pod := func(more map[string]any) map[string]any {
		role := map[string]any{"cores": int64(1), "coreRequest": "200m", "memory": "512m"}
		for name, value := range more {
			role[name] = value
		}
		return role
	}
	app := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"type": "Python", "mode": "cluster", "sparkVersion": "4.1.4", "image": "docker.io/sparkgate/spark:4.1",
		"mainApplicationFile": "local:///opt/spark/examples/pi.py", "arguments": []any{"4"},
		"sparkConf": map[string]any{"spark.eventLog.enabled": "false"},
		"driver":    pod(map[string]any{"serviceAccount": "default"}),
		"executor":  pod(map[string]any{"instances": int64(2)}),
	}}}
	app.SetGroupVersionKind(kind)
	app.SetNamespace(namespace)
	app.SetName(fmt.Sprintf("app-%06d", i))
	return app
}
