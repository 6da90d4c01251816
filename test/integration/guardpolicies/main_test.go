// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package guardpolicies acts as a tenant who wants a Spark pod to run without quota, against a real API server with the policies of
// config/guard.
package guardpolicies

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// operatorAccount is the account of the operator in the manifests.
const operatorAccount = "system:serviceaccount:sparkgate-system:sparkgate"

var installed sync.Once

// install applies the operator's rights and the guard as a user would, and waits until the API server acts by them: it compiles policies
// in the background.
func install(t *testing.T) {
	t.Helper()
	installed.Do(func() {
		create(t, env.Client(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "sparkgate-system"}})
		for _, dir := range []string{"rbac", "everywhere", "guard"} {
			if _, err := env.Kubectl(t, "apply", "-k", filepath.Join(env.Root(), "config", dir)); err != nil {
				t.Fatal(err)
			}
		}
		tn := enrol(t)
		marked := driverPod("marked")
		marked.Labels["sparkgate.io/queue"] = "other"
		env.UntilSeen(t, "the gate is added", func() (bool, error) {
			pod := tn.pod(driverPod("probe"))
			err := tn.user().Create(t.Context(), pod, client.DryRunAll)
			return err == nil && gated(pod), err
		})
		dryRun := &client.SubResourceCreateOptions{CreateOptions: client.CreateOptions{DryRun: []string{metav1.DryRunAll}}}
		keeper := tn.keeper()
		for what, try := range map[string]func() error{
			"pods": func() error { return tn.user().Create(t.Context(), tn.pod(marked.DeepCopy()), client.DryRunAll) },
			"bindings": func() error {
				return tn.user().SubResource("binding").Create(t.Context(), tn.pod(driverPod("none")), bindingWithLabels("none"), dryRun)
			},
			"namespaces": func() error { return keeper.Patch(t.Context(), tn.ns(), unenrol, client.DryRunAll) },
		} {
			env.UntilSeen(t, what+" are guarded", func() (bool, error) {
				err := try()
				return env.RefusedBy(err) == env.ByGuard, err
			})
		}
	})
}

func create(t *testing.T, c client.Client, objects ...client.Object) {
	t.Helper()
	for _, obj := range objects {
		if err := c.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
}
