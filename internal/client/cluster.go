// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Cluster reads and writes the objects of a cluster with the credentials of the user.
type Cluster struct {
	// Namespace is the namespace that applications and schedules are read from.
	Namespace string
	// Outage is called when an application that is being followed cannot be read for a while, with the reason, once for
	// each outage. It may be nil.
	Outage func(why error)

	operator string
	config   *rest.Config
	client   *rest.RESTClient
}

// Connect returns the cluster that the options name. It does not send a request yet.
func Connect(o Options) (*Cluster, error) {
	loader := o.loader()
	config, err := loader.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, fmt.Errorf("there is no kubeconfig: name a file with --kubeconfig or $KUBECONFIG (%w)", err)
	case err != nil:
		return nil, fmt.Errorf("read the kubeconfig: %w%s", err, o.contextsThere())
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	return New(config, namespace, o.Operator)
}

// New returns a Cluster that uses config, such as one with the token of a user. operator is the namespace of the
// operator.
func New(config *rest.Config, namespace, operator string) (*Cluster, error) {
	client, err := clientOf(config)
	if err != nil {
		return nil, err
	}
	return &Cluster{Namespace: namespace, operator: operator, config: config, client: client}, nil
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
	c := rest.CopyConfig(config)
	c.QPS = -1 // no limit: a command makes a few requests and ends
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return client, nil
}

// Application returns an application of the namespace.
func (c *Cluster) Application(ctx context.Context, name string) (*v1alpha1.SparkApplication, error) {
	app, err := GetObject[v1alpha1.SparkApplication](ctx, c, Applications, name)
	return &app, err
}

// Schedule returns a schedule of the namespace.
func (c *Cluster) Schedule(ctx context.Context, name string) (*v1alpha1.ScheduledSparkApplication, error) {
	schedule, err := GetObject[v1alpha1.ScheduledSparkApplication](ctx, c, Schedules, name)
	return &schedule, err
}

// Queue returns a queue.
func (c *Cluster) Queue(ctx context.Context, name string) (*v1alpha1.SparkQueue, error) {
	queue, err := GetObject[v1alpha1.SparkQueue](ctx, c, Queues, name)
	return &queue, err
}

// bodyOf returns the body of an answer, even of an error. The error is the one that the API server has described.
func bodyOf(r rest.Result) ([]byte, error) {
	// The error of Raw lacks the API server's description.
	data, _ := r.Raw()
	return data, r.Error()
}
