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
	// given are the properties as spark-submit passes them to its client. Steps read only these, never what other steps
	// have added.
	given conf.Properties
	// added are the properties that steps add. They win over the given ones.
	added additions

	driver   draft
	executor draft
	// template is the pod template of the executors, built from executor.
	template *corev1.Pod
	service  *corev1.Service
	// networkPolicy is nil if this version of Spark creates none.
	networkPolicy *networkingv1.NetworkPolicy
	// labels are the labels of the driver by which its Service selects it.
	labels map[string]string
	// claims are those of the driver's volumes that are created for the attempt.
	claims []*corev1.PersistentVolumeClaim
	// data is the data of the ConfigMap, without spark.properties, which is added last.
	data map[string]string
}

// additions are the properties that steps have added. Later ones win. They are only appended to.
type additions []conf.Property

// Put adds a property that follows from others.
func (a *additions) Put(key, value string) {
	*a = append(*a, conf.Property{Key: key, Value: value, Origin: conf.Origin{Source: conf.Derived}})
}

// uiAddress returns the address of Spark's web interface inside the cluster; empty if it is switched off.
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

// serviceHost returns the DNS name of the driver's Service.
func (b *build) serviceHost() string {
	return b.names.Service + "." + b.in.App.Namespace + ".svc"
}

// family returns the values of the properties with a prefix, by the rest of their keys.
func family(p conf.Properties, prefix string) map[string]string {
	values := map[string]string{}
	for _, property := range p.WithPrefix(prefix) {
		values[property.Name] = property.Value
	}
	return values
}
