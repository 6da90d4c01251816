// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sparkAccount is the ServiceAccount of drivers.
const sparkAccount = "spark"

// The identities that act.
const (
	// asTenant may write SparkApplications, ConfigMaps and Secrets of one namespace.
	asTenant = "tenant"
	// asOwner has every right in the namespace, which is more than Kubernetes' own role admin has.
	asOwner = "owner"
	// asProgram is the program in a driver, with a token of its account that is bound to the pod which the step names.
	asProgram = "program"
	// asStranger is the account of drivers of the neighbour's namespace, to which an administrator has given the rights
	// of asOwner here.
	asStranger = "stranger"
	// asKubelet is a node that does not run the pod.
	asKubelet = "kubelet"
	// asAdministrator may do everything; it is used for actions of others during an attack.
	asAdministrator = "administrator"
)

var identities = []string{asTenant, asOwner, asProgram, asStranger, asKubelet, asAdministrator}

// client returns a client with the identity of a step: users are impersonated, accounts have tokens of their own.
func (a *arena) client(step *Step) client.Client {
	a.t.Helper()
	config := rest.CopyConfig(cluster.config)
	switch who := step.who(); who {
	case asAdministrator:
		return cluster.client
	case asTenant, asOwner:
		config.Impersonate = rest.ImpersonationConfig{UserName: who + ":" + a.namespace}
	case asKubelet:
		config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:attacker", Groups: []string{"system:nodes", "system:authenticated"}}
	case asProgram:
		config = a.withToken(a.namespace, string(decode(a.fill(map[string]any{"name": step.Of})).Object["name"].(string)))
	case asStranger:
		config = a.withToken(a.other, "")
	}
	c, err := client.New(config, client.Options{Scheme: cluster.scheme, Mapper: cluster.client.RESTMapper()})
	if err != nil {
		a.t.Fatal(err)
	}
	return c
}

// withToken returns the access of the account of drivers, with a token that is bound to a pod unless the pod's name is
// empty.
func (a *arena) withToken(namespace, pod string) *rest.Config {
	a.t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: sparkAccount}}
	request := &authenticationv1.TokenRequest{}
	if pod != "" {
		request.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: pod}
	}
	if err := cluster.client.SubResource("token").Create(a.t.Context(), account, request); err != nil {
		a.t.Fatalf("token of account %s, bound to pod %q: %v", sparkAccount, pod, err)
	}
	config := rest.AnonymousClientConfig(cluster.config)
	config.QPS, config.Burst, config.BearerToken = -1, -1, request.Status.Token
	return config
}
