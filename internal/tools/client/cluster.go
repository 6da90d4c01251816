// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster reads and writes the objects of a cluster with the credentials of the user.
type Cluster struct {
	// Namespace is the namespace that applications and schedules are read from.
	Namespace string
	// Outage is called when an application that is being followed cannot be read for a while, with the reason, once for
	// each outage. It may be nil.
	Outage func(why error)

	operator, command string
	config            *rest.Config
	// client reads and writes JSON of any kind, the others the kinds of Kubernetes itself. A clientset would bring the
	// methods of all kinds into the program.
	client         *rest.RESTClient
	core           *coreclient.CoreV1Client
	authentication *authenticationclient.AuthenticationV1Client
	authorization  *authorizationclient.AuthorizationV1Client
}

// Connect returns the cluster that the options name. It does not send a request yet.
func Connect(o Options) (*Cluster, error) {
	loader := o.loader()
	config, err := loader.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, fmt.Errorf("no kubeconfig found: set --kubeconfig or $KUBECONFIG (%w)", err)
	case err != nil:
		return nil, fmt.Errorf("read the kubeconfig: %w%s", err, o.contextsThere())
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	c, err := New(config, namespace, o.Operator)
	if err != nil {
		return nil, err
	}
	c.command = o.Command
	return c, nil
}

// New returns a Cluster that uses config, such as one with the token of a user. operator is the namespace of the
// operator.
func New(config *rest.Config, namespace, operator string) (*Cluster, error) {
	client, err := clientOf(config)
	if err != nil {
		return nil, err
	}
	core, err := coreclient.NewForConfig(inJSON(config))
	authentication, err2 := authenticationclient.NewForConfig(inJSON(config))
	authorization, err3 := authorizationclient.NewForConfig(inJSON(config))
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return &Cluster{
		Namespace: namespace, operator: operator, config: config, client: client, core: core, authentication: authentication, authorization: authorization,
	}, nil
}

// In returns a copy that uses another namespace.
func (c *Cluster) In(namespace string) *Cluster {
	other := *c
	other.Namespace = namespace
	return &other
}

// Host returns the address of the API server.
func (c *Cluster) Host() string { return c.config.Host }

// clientOf returns a client for paths of any API group that decodes the API server's errors.
func clientOf(config *rest.Config) (*rest.RESTClient, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c := inJSON(config)
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return client, nil
}

// inJSON returns a copy for requests in JSON, which does not slow them down: a command makes a few and ends.
func inJSON(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.QPS, c.ContentType = -1, runtime.ContentTypeJSON
	return c
}

// bodyOf returns the body of an answer, even of an error. The error is the one that the API server has described.
func bodyOf(r rest.Result) ([]byte, error) {
	// The error of Raw lacks the API server's description.
	data, _ := r.Raw()
	return data, r.Error()
}
