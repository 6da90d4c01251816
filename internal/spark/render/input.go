// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/queueing"
)

// Input is everything that the objects of an attempt follow from.
type Input struct {
	// App is not changed. Its name, namespace, uid and spec count; its status does not.
	App *v1alpha1.SparkApplication
	// Run and Attempt, both from 1.
	Run, Attempt int64
	// Queue is the resolved name of the queue, for the label; empty: the grant's queue, else no label.
	Queue string
	// Grant places the pods and may cut the number of executors. Nil before there is one: all that is wanted, placed
	// nowhere.
	Grant *queueing.Grant
	// SchedulingGated makes executors wait behind the scheduling gate of the quota. They get no place then: that comes
	// when the pod is ungated.
	SchedulingGated bool
	// Properties as conf.Merge returned them.
	Properties conf.Properties
	// Secrets are the values of spec.sparkConfFrom by property. They go into the Secret of the attempt and nowhere
	// else; what is absent stays masked there.
	Secrets map[string]string
	// ConfFiles are the files of Spark's conf folder by name, as ConfFiles returns them.
	ConfFiles map[string]string
	// SubmitTime becomes spark.app.submitTime unless the user has set that.
	SubmitTime time.Time
	// ServiceAnnotation reports whether the application may set an annotation of the Service, by its key. Nil allows
	// all.
	ServiceAnnotation func(key string) bool
}

// NewInput returns what the objects of an application's first attempt follow from: in no queue, without a grant and
// without values from Secrets, which the caller adds where they are known. What its sources contradict comes along.
func NewInput(app *v1alpha1.SparkApplication, sources conf.Sources) (Input, []conf.Finding) {
	properties, contradictions := conf.Merge(app, sources)
	return Input{
		App: app, Run: 1, Attempt: 1, Properties: properties, ConfFiles: ConfFiles(sources.ConfigMap), SubmitTime: time.Unix(0, 0),
	}, contradictions
}

// allowed returns the annotations that an application may set.
func allowed(annotations map[string]string, may func(key string) bool) map[string]string {
	kept := maps.Clone(annotations)
	if may != nil {
		maps.DeleteFunc(kept, func(key, _ string) bool { return !may(key) })
	}
	return kept
}

// Objects are the objects of one attempt, in the order in which they are to be created: what the pod needs comes before
// it.
type Objects struct {
	// ConfigMap holds spark.properties, the conf files and the executor template.
	ConfigMap *corev1.ConfigMap
	// Secret holds spark.properties in place of ConfigMap where values come from Secrets. Else nil.
	Secret *corev1.Secret
	// Files are the ConfigMaps of spec.configMaps, in its order.
	Files []*corev1.ConfigMap
	// Service is the headless Service by which executors reach the driver.
	Service *corev1.Service
	// NetworkPolicy shields the executors. Nil before Spark 4.2, and where the user excludes the step that creates it.
	NetworkPolicy *networkingv1.NetworkPolicy
	// Claims are those of the driver's volumes that are created for the attempt; mostly none.
	Claims []*corev1.PersistentVolumeClaim
	// Pod is the driver.
	Pod *corev1.Pod

	// ExecutorTemplate is what the driver will start executors from. It is in ConfigMap too and is not to be
	// created.
	ExecutorTemplate *corev1.Pod
	// SparkVersion is the version by whose rules all this was built.
	SparkVersion string
	// Properties are all properties that the driver will see, with what the build has added; those from Secrets are
	// masked.
	Properties conf.Properties
	// Gated says that executors wait behind a scheduling gate.
	Gated bool
	// Names of the attempt.
	Names Names
	// UIAddress is the address of Spark's web interface inside the cluster, empty if it is switched off.
	UIAddress string
}
