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

// apacheVariable names the program of Apache's operator, apacheCRDsVariable the folder of its CRDs.
const apacheVariable, apacheCRDsVariable = "PEERS_APACHE", "PEERS_APACHE_CRDS"

var apacheKind = schema.GroupVersionKind{Group: "spark.apache.org", Version: "v1", Kind: "SparkApplication"}

// apachePeer returns Apache's operator, for all namespaces.
func (b *bench) apachePeer(kubeconfig, program string) (peer, error) {
	if _, err := envtest.InstallCRDs(b.server.Config, envtest.CRDInstallOptions{
		Paths: []string{os.Getenv(apacheCRDsVariable)}, ErrorIfPathMissing: true,
	}); err != nil {
		return peer{}, fmt.Errorf("install the CRDs of %s: %w", apacheCRDsVariable, err)
	}
	server, err := url.Parse(b.server.Config.Host)
	if err != nil {
		return peer{}, err
	}
	return peer{
		name: "Apache spark-kubernetes-operator", kind: apacheKind, label: "spark.operator/spark-app-name", ended: "Succeeded", failed: "Failed",
		start: func() (*host.Operator, error) {
			return host.StartPeer(b.server, program, []string{"-Dspark.kubernetes.operator.watchedNamespaces=*"},
				"KUBECONFIG="+kubeconfig, "KUBERNETES_SERVICE_HOST="+server.Hostname(), "KUBERNETES_SERVICE_PORT="+server.Port())
		},
		application: func(namespace string, i int) client.Object { return apacheApplication(namespace, i) },
		stage:       apacheStage,
		makeEnded:   b.makeApacheEnded,
	}, nil
}

// apacheStage returns the final state of an application if it has one, else its current state.
func apacheStage(app *unstructured.Unstructured) string {
	state, _, _ := unstructured.NestedString(app.Object, "status", "currentState", "currentStateSummary")
	if state != "ResourceReleased" && state != "TerminatedWithoutReleaseResources" {
		return state
	}
	history, _, _ := unstructured.NestedMap(app.Object, "status", "stateTransitionHistory")
	for _, entry := range history {
		if fields, is := entry.(map[string]any); is && fields["currentStateSummary"] == "Succeeded" {
			return "Succeeded"
		}
	}
	return "Failed"
}

// makeApacheEnded creates applications whose drivers have succeeded and are gone.
func (b *bench) makeApacheEnded(ctx context.Context, namespace string, n int) error {
	return load.InParallel(ctx, n, func(ctx context.Context, i int) error {
		app := apacheApplication(namespace, i)
		if err := b.user.Client.Create(ctx, app); err != nil {
			return err
		}
		state := func(summary string) map[string]any {
			return map[string]any{"currentStateSummary": summary, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339), "message": summary}
		}
		app.Object["status"] = map[string]any{
			"currentState":           state("ResourceReleased"),
			"stateTransitionHistory": map[string]any{"0": state("Submitted"), "1": state("Succeeded"), "2": state("ResourceReleased")},
			"currentAttemptSummary":  map[string]any{"attemptInfo": map[string]any{"id": int64(0)}},
		}
		return b.user.Client.Status().Update(ctx, app)
	})
}

// apacheApplication returns the same job as load.Application.
func apacheApplication(namespace string, i int) *unstructured.Unstructured {
	app := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"mainClass": "org.apache.spark.deploy.PythonRunner", "pyFiles": "local:///opt/spark/examples/pi.py", "driverArgs": []any{"4"},
		"runtimeVersions": map[string]any{"sparkVersion": "4.1.1"},
		"sparkConf": map[string]any{
			"spark.kubernetes.container.image": "docker.io/sparkgate/spark:4.1", "spark.eventLog.enabled": "false",
			"spark.kubernetes.authenticate.driver.serviceAccountName": "default", "spark.kubernetes.namespace": namespace,
			"spark.driver.memory": "512m", "spark.kubernetes.driver.request.cores": "200m", "spark.executor.memory": "512m",
			"spark.kubernetes.executor.request.cores": "200m", "spark.executor.instances": "2",
		},
	}}}
	app.SetGroupVersionKind(apacheKind)
	app.SetNamespace(namespace)
	app.SetName(fmt.Sprintf("app-%06d", i))
	return app
}
