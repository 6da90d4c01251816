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

// Cluster is a way to a cluster.
type Cluster struct {
	// Namespace of the application.
	Namespace string
	// Outage is called with the reason why an application that is followed cannot be seen for now, once for each outage; may be nil.
	Outage func(why error)

	operator string
	config   *rest.Config
	client   *rest.RESTClient
}

// Connect finds the cluster. It does not talk to it yet.
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

// New returns the way to a cluster by a configuration of a client, such as that of one user's token. operator is the
// namespace of the operator.
func New(config *rest.Config, namespace, operator string) (*Cluster, error) {
	client, err := clientOf(config)
	if err != nil {
		return nil, err
	}
	return &Cluster{Namespace: namespace, operator: operator, config: config, client: client}, nil
}

// In returns the same way to the cluster for another namespace.
func (c *Cluster) In(namespace string) *Cluster {
	other := *c
	other.Namespace = namespace
	return &other
}

// Host returns the address of the API server.
func (c *Cluster) Host() string { return c.config.Host }

// clientOf returns a client for paths of any group. It understands the API server's errors.
func clientOf(config *rest.Config) (*rest.RESTClient, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c := rest.CopyConfig(config)
	c.QPS = -1 // a call makes a few requests, and ends
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return client, nil
}

// Application reads an application of the namespace.
func (c *Cluster) Application(ctx context.Context, name string) (*v1alpha1.SparkApplication, error) {
	app, err := GetObject[v1alpha1.SparkApplication](ctx, c, Applications, name)
	return &app, err
}

// Schedule reads a schedule of the namespace.
func (c *Cluster) Schedule(ctx context.Context, name string) (*v1alpha1.ScheduledSparkApplication, error) {
	schedule, err := GetObject[v1alpha1.ScheduledSparkApplication](ctx, c, Schedules, name)
	return &schedule, err
}

// Queue reads a queue.
func (c *Cluster) Queue(ctx context.Context, name string) (*v1alpha1.SparkQueue, error) {
	queue, err := GetObject[v1alpha1.SparkQueue](ctx, c, Queues, name)
	return &queue, err
}

// bodyOf returns what was answered, also with an error. An error of the API server has its words.
func bodyOf(r rest.Result) ([]byte, error) {
	data, _ := r.Raw() // its error does not have them
	return data, r.Error()
}
