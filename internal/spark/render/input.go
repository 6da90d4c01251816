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
	"github.com/sparkgate/sparkgate/internal/spark/server"
	"github.com/sparkgate/sparkgate/queueing"
)

// Input is everything that the objects of an attempt depend on.
type Input struct {
	// App is the application, which is not changed. Its name, namespace, uid, annotations and spec are read, its status
	// is not.
	App *v1alpha1.SparkApplication
	// Run and Attempt are the numbers of the attempt, both from 1.
	Run, Attempt int64
	// Queue is the resolved name of the queue, for the label. If it is empty, the label has the queue of the grant;
	// without a grant there is no label.
	Queue string
	// Grant places the pods and may reduce the number of executors. If it is nil, nothing is placed, and all executors
	// are included.
	Grant *queueing.Grant
	// SchedulingGated reports that executors wait behind the operator's scheduling gate. They get their placement when
	// they are ungated.
	SchedulingGated bool
	// Properties are the result of conf.Merge.
	Properties conf.Properties
	// Secrets are the values of spec.sparkConfFrom by property. They are written only into the Secret of the attempt. A
	// property without a value stays masked.
	Secrets map[string]string
	// ConfFiles are the files for Spark's conf folder by name, as ConfFiles returns them.
	ConfFiles map[string]string
	// SubmitTime is the value of spark.app.submitTime, unless the user sets that.
	SubmitTime time.Time
	// ServiceAnnotation reports whether the application may set an annotation with that key on the Service. Nil allows
	// all.
	ServiceAnnotation func(key string) bool
}

// NewInput returns the input for the first attempt of an application, without a queue, a grant or values from Secrets.
// It also returns the findings of conf.Merge. What a server implies is filled in.
func NewInput(app *v1alpha1.SparkApplication, sources conf.Sources) (Input, []conf.Finding) {
	app = server.Complete(app)
	properties, contradictions := conf.Merge(app, sources)
	return Input{
		App: app, Run: 1, Attempt: 1, Properties: properties, ConfFiles: ConfFiles(sources.ConfigMap), SubmitTime: time.Unix(0, 0),
	}, contradictions
}

// allowed returns the annotations that the application may set.
func allowed(annotations map[string]string, may func(key string) bool) map[string]string {
	kept := maps.Clone(annotations)
	if may != nil {
		maps.DeleteFunc(kept, func(key, _ string) bool { return !may(key) })
	}
	return kept
}

// Objects are the objects of one attempt, in the order in which they have to be created: the pod is last.
type Objects struct {
	// ConfigMap holds spark.properties, the conf files and the executor template.
	ConfigMap *corev1.ConfigMap
	// Secret holds spark.properties instead of ConfigMap if the application takes values from Secrets; else it is nil.
	Secret *corev1.Secret
	// Files are the ConfigMaps for spec.configMaps, in the same order.
	Files []*corev1.ConfigMap
	// Service is the headless Service by which executors reach the driver.
	Service *corev1.Service
	// NetworkPolicy protects the executors. It is nil before Spark 4.2, and if the user excludes the step that creates
	// it.
	NetworkPolicy *networkingv1.NetworkPolicy
	// Claims are those of the driver's volumes that are created for the attempt. Most drivers have none.
	Claims []*corev1.PersistentVolumeClaim
	// Pod is the driver.
	Pod *corev1.Pod

	// ExecutorTemplate is the template from which the driver will create executors. ConfigMap contains it as well; it
	// is not created as a pod.
	ExecutorTemplate *corev1.Pod
	// Workers reports that ExecutorTemplate is that of workers, which the operator creates.
	Workers bool
	// SparkVersion is the version of Spark for which the objects were built.
	SparkVersion string
	// Properties are all properties that the driver will see, including those that the build has added. Those from
	// Secrets are masked.
	Properties conf.Properties
	// Gated reports that executors wait behind the operator's scheduling gate.
	Gated bool
	// Names are the names of the objects.
	Names Names
	// UIAddress is the address of Spark's web interface inside the cluster; empty if it is switched off.
	UIAddress string
}
