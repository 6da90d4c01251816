// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// node returns a kubelet. The server of these tests knows no nodes, so it has its rights from elsewhere.
func (tn *tenant) node(name string) client.Client {
	tn.bind("system:node", "system:node:"+name)
	return as(tn.t, rest.ImpersonationConfig{UserName: "system:node:" + name, Groups: []string{"system:nodes"}})
}

// TestPermitted: what has to continue in a guarded namespace does.
func TestPermitted(t *testing.T) {
	install(t)
	for name, try := range map[string]func(*testing.T, *tenant){
		"the driver of an application begins without the gate": func(t *testing.T, tn *tenant) {
			if driver := tn.own("pi"); gated(driver) {
				t.Error("it is gated")
			}
		},
		"a driver labels its own executors": func(t *testing.T, tn *tenant) {
			driver := tn.own("pi")
			p := executorPod(driver, "executor")
			for key, value := range driver.Labels {
				if strings.HasPrefix(key, "sparkgate.io/") {
					p.Labels[key] = value
				}
			}
			create(t, tn.program(driver), p)
			if !gated(p) {
				t.Error("it is not gated")
			}
		},
		"the operator places a pod and lifts its gate in one patch": func(t *testing.T, tn *tenant) {
			p := tn.pod(driverPod("submit"))
			create(t, tn.user(), p)
			patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"add","path":"/spec/nodeSelector","value":{"pool":"spot"}},
				{"op":"remove","path":"/spec/schedulingGates"}]`))
			permit(t, tn.operator().Patch(t.Context(), p, patch))
			if gated(p) || p.Spec.NodeSelector["pool"] != "spot" {
				t.Errorf("it is %+v", p.Spec)
			}
		},
		"the scheduler binds, and tells the zone": func(t *testing.T, tn *tenant) {
			p := tn.released(driverPod("submit"))
			b := bindingOf(p.Name)
			b.Labels = map[string]string{"topology.kubernetes.io/zone": "a"}
			permit(t, as(t, rest.ImpersonationConfig{UserName: "system:kube-scheduler"}).SubResource("binding").Create(t.Context(), p, b))
		},
		"a node says that a pod has ended": func(t *testing.T, tn *tenant) {
			p := tn.bound(driverPod("submit"), tn.namespace)
			p.Status.Phase = corev1.PodFailed
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended}
			permit(t, tn.node(tn.namespace).Status().Update(t.Context(), p))
		},
		"the garbage collector of pods ends those of a node that is gone": func(t *testing.T, tn *tenant) {
			p := tn.bound(driverPod("submit"), "gone")
			tn.bind("system:controller:pod-garbage-collector", "system:serviceaccount:kube-system:pod-garbage-collector")
			permit(t, tn.controller("pod-garbage-collector").Status().Patch(t.Context(), p, merge(`{"status":{"phase":"Failed"}}`)))
		},
		"a tenant's controller sets conditions": func(t *testing.T, tn *tenant) {
			p := tn.released(driverPod("submit"))
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: "example.org/seen", Status: corev1.ConditionTrue})
			permit(t, tn.user().Status().Update(t.Context(), p))
		},
		"the garbage collector removes an owner": func(t *testing.T, tn *tenant) {
			driver := tn.own("pi")
			p := executorPod(driver, "executor")
			create(t, tn.program(driver), p)
			permit(t, tn.controller("generic-garbage-collector").Patch(t.Context(), p, merge(`{"metadata":{"ownerReferences":null}}`)))
		},
		"a driver marks its executors with labels of Spark's that charge nobody": func(t *testing.T, tn *tenant) {
			driver := tn.own("pi")
			p := executorPod(driver, "executor")
			create(t, tn.program(driver), p)
			permit(t, tn.program(driver).Patch(t.Context(), p, merge(`{"metadata":{"labels":{"spark-exec-inactive":"true"}}}`)))
		},
		"an administrator lifts the gate": func(t *testing.T, tn *tenant) {
			p := tn.pod(driverPod("submit"))
			create(t, tn.user(), p)
			permit(t, env.Client().Patch(t.Context(), p, ungatePatch))
		},
		"a keeper of namespaces changes other labels": func(t *testing.T, tn *tenant) {
			permit(t, tn.keeper().Patch(t.Context(), tn.ns(), merge(`{"metadata":{"labels":{"team":"a"},"annotations":{"cost":"7"}}}`)))
		},
		"who may enroll takes a namespace out": func(t *testing.T, tn *tenant) {
			keeper := tn.keeper()
			tn.bind("sparkgate-enroll", "keeper-"+tn.namespace)
			env.UntilSeen(t, "the right is known", func() (bool, error) {
				err := keeper.Patch(t.Context(), tn.ns(), unenrol)
				return err == nil, err
			})
		},
		"pods of other programs do as they like": func(t *testing.T, tn *tenant) {
			p := tn.pod(plainPod("web"))
			create(t, tn.user(), p)
			permit(t, tn.user().Patch(t.Context(), p, merge(`{"metadata":{"labels":{"app":"web"},"ownerReferences":null}}`)))
			p.Spec.Containers[0].Resources.Requests = list("2")
			permit(t, tn.user().SubResource("resize").Update(t.Context(), p))
			p.Status.Phase = corev1.PodSucceeded
			permit(t, tn.user().Status().Update(t.Context(), p))
		},
		"everybody deletes pods": func(t *testing.T, tn *tenant) {
			p := tn.pod(driverPod("submit"))
			create(t, tn.user(), p)
			permit(t, tn.user().Delete(t.Context(), p))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t, enrol(t))
		})
	}
}

// ended is what the kubelet says of a container that has ended.
var ended = corev1.ContainerStatus{Name: "spark-kubernetes-driver", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}

func permit(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestOtherNamespaces: the guard looks at guarded namespaces only.
func TestOtherNamespaces(t *testing.T) {
	install(t)
	t.Parallel()
	p := driverPod("submit")
	p.Namespace, p.Labels["sparkgate.io/queue"] = env.Namespace(t), "any"
	create(t, env.Client(), p)
	if gated(p) {
		t.Error("the pod is gated")
	}
}

// TestValidatingOnly: where only the half of the guard is installed that refuses, a Spark pod is created with the gate or not at all. The
// half is tried in a namespace that is not guarded, by a binding for it alone.
func TestValidatingOnly(t *testing.T) {
	install(t)
	t.Parallel()
	tn := enrol(t)
	alone := metav1.LabelSelector{MatchLabels: map[string]string{"validating-only": tn.namespace}}
	permit(t, env.Client().Patch(t.Context(), tn.ns(), merge(`{"metadata":{"labels":{"`+guarded+`":null,"validating-only":"`+tn.namespace+`"}}}`)))
	create(t, env.Client(), &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: tn.namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: "sparkgate-guard", ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			MatchResources: &admissionv1.MatchResources{NamespaceSelector: &alone},
		},
	})
	env.UntilSeen(t, "a pod without the gate is refused, and told the remedy", func() (bool, error) {
		err := tn.user().Create(t.Context(), tn.pod(driverPod("bare")), client.DryRunAll)
		return env.RefusedBy(err) == env.ByGuard && strings.Contains(err.Error(), `add "schedulingGates: [{name: sparkgate.io/quota}]" to the spec of its template`), err
	})
	p := tn.pod(driverPod("submit"))
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: quotaGate}}
	create(t, tn.user(), p)
	if tn.own("pi"); env.RefusedBy(tn.user().Patch(t.Context(), p, ungatePatch)) != env.ByGuard {
		t.Error("the gate could be lifted")
	}
}
