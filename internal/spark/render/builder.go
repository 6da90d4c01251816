// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strconv"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// build is the state that the steps work on.
type build struct {
	in     Input
	client client
	names  Names
	// given are the properties as spark-submit hands them to its client. Steps read these, never what other steps have
	// added.
	given conf.Properties
	// added are the properties that steps add; they win over the given ones.
	added additions

	driver   draft
	executor draft
	// template is what executors are started from, put together of the executor.
	template *corev1.Pod
	service  *corev1.Service
	// networkPolicy is nil if the version has none.
	networkPolicy *networkingv1.NetworkPolicy
	// labels of the driver that its Service selects by.
	labels map[string]string
	// claims of the driver's volumes that are created for the attempt.
	claims []*corev1.PersistentVolumeClaim
	// data of the ConfigMap, without spark.properties, which is written last.
	data map[string]string
}

// additions are properties that steps have added, later ones winning. Nothing is looked up in them.
type additions []conf.Property

// Put adds a property that follows from others.
func (a *additions) Put(key, value string) {
	*a = append(*a, conf.Property{Key: key, Value: value, Origin: conf.Origin{Source: conf.Derived}})
}

// uiAddress returns where Spark's web interface is served inside the cluster.
func (b *build) uiAddress() string {
	if enabled, err := b.given.Bool(conf.UIEnabled, true); err != nil || !enabled {
		return ""
	}
	port, err := b.given.Int(conf.UIPort, DefaultUIPort)
	if err != nil {
		return ""
	}
	return "http://" + b.serviceHost() + ":" + strconv.Itoa(int(port))
}

// serviceHost returns the name of the driver's Service for DNS.
func (b *build) serviceHost() string {
	return b.names.Service + "." + b.in.App.Namespace + ".svc"
}

// family returns the values of a family of properties by name.
func family(p conf.Properties, prefix string) map[string]string {
	values := map[string]string{}
	for _, property := range p.WithPrefix(prefix) {
		values[property.Name] = property.Value
	}
	return values
}
