// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

const (
	keeps  = "by which it is charged to a queue: leave them as they are"
	forged = "only the driver of that application gives them to a pod that it owns"
)

// relabelling: pods that are to be charged to another tenant, or to none.
func relabelling() []attempt {
	return []attempt{
		{what: "labels `sparkgate.io/*` of an application on a pod created by hand", outcome: isRefused, by: env.ByGuard, says: forged,
			try: changed(func(p *corev1.Pod) { p.Labels["sparkgate.io/application"] = "pi" })},
		{what: "… in the pod template of a Deployment", outcome: isRefused, by: env.ByGuard, says: forged, try: func(tn *tenant) (*corev1.Pod, error) {
			p := tn.pod(plainPod("from-template"))
			p.Labels = map[string]string{"sparkgate.io/app-uid": "uid-of-pi"}
			return p, tn.controller("replicaset-controller").Create(tn.t.Context(), p)
		}},
		{what: "… by a driver, on an executor that another driver owns", outcome: isRefused, by: env.ByGuard, says: forged, try: func(tn *tenant) (*corev1.Pod, error) {
			p := executorPod(tn.own("pi"), "executor")
			p.Labels["sparkgate.io/application"] = "pi"
			return p, tn.program(tn.own("other")).Create(tn.t.Context(), p)
		}},
		{what: "… of another application, by a driver on its own executor", outcome: isGated, says: "the operator knows the driver of each application",
			try: ownExecutor(func(p, _ *corev1.Pod) { p.Labels["sparkgate.io/application"] = "other" })},
		{what: "… by a driver, on an executor that another driver owns as well", outcome: isRefused, by: env.ByGuard, says: forged,
			try: func(tn *tenant) (*corev1.Pod, error) {
				p, beside := executorPod(tn.own("pi"), "executor"), tn.own("other")
				p.Labels["sparkgate.io/application"] = "pi"
				own := ownedBy(beside)
				own.Controller = nil
				p.OwnerReferences = append(p.OwnerReferences, own)
				return p, tn.program(beside).Create(tn.t.Context(), p)
			}},
		{what: "… by a service account with a token that is bound to no pod", outcome: isRefused, by: env.ByGuard, says: forged,
			try: func(tn *tenant) (*corev1.Pod, error) {
				p := executorPod(tn.own("pi"), "executor")
				p.Labels["sparkgate.io/application"] = "pi"
				return p, tn.unbound().Create(tn.t.Context(), p)
			}},
		{what: "label `spark-role` removed later", outcome: isRefused, by: env.ByGuard, says: keeps, try: relabel(`{"spark-role":null}`)},
		{what: "label `spark-app-selector` changed later", outcome: isRefused, by: env.ByGuard, says: keeps, try: relabel(`{"spark-app-selector":"spark-other"}`)},
		{what: "labels `sparkgate.io/*` changed later", outcome: isRefused, by: env.ByGuard, says: keeps, try: func(tn *tenant) (*corev1.Pod, error) {
			p := tn.own("pi")
			return p, tn.user().Patch(tn.t.Context(), p, merge(`{"metadata":{"labels":{"sparkgate.io/application":"other"}}}`))
		}},
		{what: "… added to a pod that is not a Spark pod", outcome: isRefused, by: env.ByGuard, says: keeps, try: func(tn *tenant) (*corev1.Pod, error) {
			p, err := made(tn, plainPod("web"))
			if err != nil {
				return nil, err
			}
			return p, tn.user().Patch(tn.t.Context(), p, merge(`{"metadata":{"labels":{"sparkgate.io/application":"pi"}}}`))
		}},
		{what: "… through `pods/status`", outcome: isRefused, by: env.ByGuard, says: keeps, try: running(func(tn *tenant, p *corev1.Pod) error {
			return tn.user().Status().Patch(tn.t.Context(), p, merge(`{"metadata":{"labels":{"spark-role":null}}}`))
		})},
		{what: "… through the labels of a binding", outcome: isRefused, by: env.ByGuard, says: "a binding gives its labels to the pod",
			try: running(func(tn *tenant, p *corev1.Pod) error {
				return tn.user().SubResource("binding").Create(tn.t.Context(), p, bindingWithLabels(p.Name))
			})},
		{what: "the owner of an executor removed or changed", outcome: isRefused, by: env.ByGuard, says: "keeps its ownerReferences", try: func(tn *tenant) (*corev1.Pod, error) {
			driver := tn.own("pi")
			p := executorPod(driver, "executor")
			create(tn.t, tn.program(driver), p)
			return p, tn.program(driver).Patch(tn.t.Context(), p, merge(`{"metadata":{"ownerReferences":null}}`))
		}},
		{what: "… of a pod that is a Spark pod only because of its owner", outcome: isRefused, by: env.ByGuard, says: "keeps its ownerReferences",
			try: func(tn *tenant) (*corev1.Pod, error) {
				p := executorPod(tn.own("pi"), "executor")
				p.Labels, p.Spec.Containers[0].Name = nil, "main"
				create(tn.t, tn.user(), p)
				return p, tn.user().Patch(tn.t.Context(), p, merge(`{"metadata":{"ownerReferences":null}}`))
			}},
	}
}

// outgrowing: pods that run within quota, and are to have more than they were given, or give it back while they run.
func outgrowing() []attempt {
	return []attempt{
		{what: "a running pod resized (`pods/resize`)", outcome: isRefused, by: env.ByGuard, says: "has quota for the resources with which it was created",
			try: running(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.Containers[0].Resources.Requests = list("8")
				return tn.user().SubResource("resize").Update(tn.t.Context(), p)
			})},
		{what: "a waiting pod resized", outcome: isRefused, by: env.ByGuard, says: "has quota for the resources with which it was created",
			try: waiting(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.Containers[0].Resources.Requests = list("8")
				return tn.user().SubResource("resize").Update(tn.t.Context(), p)
			})},
		{what: "a running pod reported as ended (`pods/status`)", outcome: isRefused, by: env.ByGuard, says: "only its node may report that",
			try: running(func(tn *tenant, p *corev1.Pod) error {
				p.Status.Phase = corev1.PodSucceeded
				return tn.user().Status().Update(tn.t.Context(), p)
			})},
		{what: "… by a service account of another namespace with rights in this one", outcome: isRefused, by: env.ByGuard, says: "only its node may report that",
			try: running(func(tn *tenant, p *corev1.Pod) error {
				return tn.stranger().Status().Patch(tn.t.Context(), p, merge(`{"status":{"phase":"Failed"}}`))
			})},
		{what: "… by the kubelet of another node", outcome: isRefused, by: env.ByGuard, says: "only its node may report that",
			try: func(tn *tenant) (*corev1.Pod, error) {
				p := tn.bound(driverPod("submit"), tn.namespace)
				return p, tn.node("other-"+tn.namespace).Status().Patch(tn.t.Context(), p, merge(`{"status":{"phase":"Failed"}}`))
			}},
		{what: "… or only its containers", outcome: isRefused, by: env.ByGuard, says: "which changes its containerStatuses",
			try: running(func(tn *tenant, p *corev1.Pod) error {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{ended}
				return tn.user().Status().Update(tn.t.Context(), p)
			})},
		{what: "a container added to a running pod (`kubectl debug`)", outcome: isAllowed, says: "such a container cannot request resources; the limits of the pod apply",
			try: running(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
					Name: "debug", Image: "docker.io/sparkgate/spark:4.1", TerminationMessagePolicy: corev1.TerminationMessageReadFile,
				}}}
				return tn.user().SubResource("ephemeralcontainers").Update(tn.t.Context(), p)
			})},
		{what: "`kubectl exec` into a running pod, and Spark with a local master there", outcome: isAllowed, says: "it stays within the limits of that pod",
			try: running(func(*tenant, *corev1.Pod) error { return nil })},
	}
}

// around: the guard itself is to be removed or got round.
func around() []attempt {
	cluster := func(try func(*tenant) error) func(*tenant) (*corev1.Pod, error) {
		return func(tn *tenant) (*corev1.Pod, error) { return nil, try(tn) }
	}
	return []attempt{
		{what: "the label of the namespace removed, with every right in that namespace", outcome: isRefused, by: env.ByGuard,
			says: "is guarded by Sparkgate and keeps its sparkgate.io/guarded",
			try:  cluster(func(tn *tenant) error { return tn.user().Patch(tn.t.Context(), tn.ns(), unenrol) })},
		{what: "… with the right to change all namespaces", outcome: isRefused, by: env.ByGuard, says: "is guarded by Sparkgate and keeps its sparkgate.io/guarded",
			try: cluster(func(tn *tenant) error { return tn.keeper().Patch(tn.t.Context(), tn.ns(), unenrol) })},
		{what: "the queue of the namespace changed", outcome: isRefused, by: env.ByGuard, says: "keeps its sparkgate.io/default-queue",
			try: cluster(func(tn *tenant) error {
				return tn.keeper().Patch(tn.t.Context(), tn.ns(), merge(`{"metadata":{"annotations":{"sparkgate.io/default-queue":"richer"}}}`))
			})},
		{what: "the queues that the namespace may use changed", outcome: isRefused, by: env.ByGuard, says: "keeps its sparkgate.io/allowed-queues",
			try: cluster(func(tn *tenant) error {
				return tn.keeper().Patch(tn.t.Context(), tn.ns(), merge(`{"metadata":{"annotations":{"sparkgate.io/allowed-queues":"default"}}}`))
			})},
		{what: "the gates that it may use changed", outcome: isRefused, by: env.ByGuard, says: "keeps its sparkgate.io/allowed-gates",
			try: cluster(func(tn *tenant) error {
				return tn.keeper().Patch(tn.t.Context(), tn.ns(), merge(`{"metadata":{"annotations":{"sparkgate.io/allowed-gates":"None"}}}`))
			})},
		{what: "the right `release`, granted to oneself by a Role", outcome: isRefused, by: env.ByRBAC, says: "attempting to grant RBAC permissions not currently held",
			try: cluster(func(tn *tenant) error {
				return tn.user().Create(tn.t.Context(), &rbacv1.Role{
					ObjectMeta: metav1.ObjectMeta{Namespace: tn.namespace, Name: "mine"},
					Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"sparkgate.io"}, Resources: []string{"gates"}, Verbs: []string{"release"}}},
				})
			})},
		{what: "… by a binding to the operator's role", outcome: isRefused, by: env.ByRBAC, says: "attempting to grant RBAC permissions not currently held",
			try: cluster(func(tn *tenant) error {
				return tn.user().Create(tn.t.Context(), &rbacv1.RoleBinding{
					ObjectMeta: metav1.ObjectMeta{Namespace: tn.namespace, Name: "mine"},
					RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "sparkgate-release"},
					Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "tenant"}},
				})
			})},
		{what: "a token for the operator's account", outcome: isRefused, by: env.ByRBAC, says: `cannot create resource "serviceaccounts/token"`,
			try: cluster(func(tn *tenant) error {
				account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "sparkgate-system", Name: "sparkgate"}}
				return tn.user().SubResource("token").Create(tn.t.Context(), account, &authenticationv1.TokenRequest{})
			})},
		{what: "the policy deleted", outcome: isRefused, by: env.ByRBAC, says: `cannot delete resource "validatingadmissionpolicies"`,
			try: cluster(func(tn *tenant) error {
				policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "sparkgate-guard"}}
				return tn.user().Delete(tn.t.Context(), policy)
			})},
	}
}

func relabel(labels string) func(*tenant) (*corev1.Pod, error) {
	return running(func(tn *tenant, p *corev1.Pod) error {
		return tn.user().Patch(tn.t.Context(), p, merge(`{"metadata":{"labels":`+labels+`}}`))
	})
}

// running does something to a driver pod of the tenant's that has its quota.
func running(try func(*tenant, *corev1.Pod) error) func(*tenant) (*corev1.Pod, error) {
	return func(tn *tenant) (*corev1.Pod, error) {
		p := tn.released(driverPod("submit"))
		return p, try(tn, p)
	}
}
