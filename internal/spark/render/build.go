// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// step is one of the steps by which Spark's client builds the driver.
type step struct {
	// class is the name of the step in Spark, by which users exclude it; empty for what cannot be excluded.
	class string
	run   func(*build) error
}

// featurePackage holds the classes of the steps.
const featurePackage = "org.apache.spark.deploy.k8s.features."

// steps in Spark's own order. Absent from it: credentials and files of the submission host, and classes that users
// bring along.
var steps = []step{
	{"BasicDriverFeatureStep", basicStep},
	{"DriverKubernetesCredentialsFeatureStep", serviceAccountStep},
	{"DriverServiceFeatureStep", serviceStep},
	{"NetworkPolicyFeatureStep", networkPolicyStep},
	{"MountSecretsFeatureStep", mountSecretsStep},
	{"EnvSecretsFeatureStep", envSecretsStep},
	{"MountVolumesFeatureStep", mountVolumesStep},
	{"DriverCommandFeatureStep", commandStep},
	{"HadoopConfDriverFeatureStep", hadoopStep},
	{"KerberosConfDriverFeatureStep", kerberosStep},
	{"PodTemplateConfigMapStep", executorTemplateStep},
	{"LocalDirsFeatureStep", localDirsStep},
	{"", confVolumeStep},
	{"", metricsStep},
	{"", metadataStep},
}

// requiredSteps are the steps without which no driver works, or without whose Service nothing leads to its web interface.
var requiredSteps = []string{"BasicDriverFeatureStep", "DriverServiceFeatureStep", "DriverCommandFeatureStep", "PodTemplateConfigMapStep"}

// moreProperties is about how many properties the build adds.
const moreProperties = 16

// builds counts the calls of Build.
var builds atomic.Int64

// Builds returns how often this process has called Build: a test holds a submission to its number of calls.
func Builds() int64 { return builds.Load() }

// Build returns the objects of an attempt. An error means that the input cannot be rendered; it joins conf.ValueErrors
// and MistakeErrors, each of which names field, value and remedy.
func Build(in Input) (Objects, error) {
	builds.Add(1)
	b := build{
		in:     in,
		client: clientOf(in.App.Spec.SparkVersion),
		names:  NamesOf(in.App, in.Run, in.Attempt),
		given:  make(conf.Properties, len(in.Properties)+moreProperties),
		added:  make(additions, 0, moreProperties),
		data:   map[string]string{},
	}
	maps.Copy(b.given, in.Properties)
	var errs, more []error
	b.driver, errs = base(in, DriverOf(in.App))
	b.driver.grow()
	b.executor, more = base(in, ExecutorOf(in.App))
	errs = append(errs, more...)
	errs = append(errs, b.submit())
	b.labels, b.template = b.driverLabels(), b.executorTemplate()
	excluded := conf.Split(b.given.Get(conf.DriverExcludedSteps, ""))
	for _, step := range steps {
		if step.class != "" && b.client.excludedSteps && slices.Contains(excluded, featurePackage+step.class) {
			continue
		}
		errs = append(errs, step.run(&b))
	}
	if err := errors.Join(errs...); err != nil {
		return Objects{}, err
	}
	return b.objects(), nil
}

// objects puts the results together. Spark's container goes last in the driver.
func (b *build) objects() Objects {
	properties := b.given // which nothing else refers to
	for _, property := range b.added {
		properties[property.Key] = property
	}
	pod := b.driver.pod
	pod.Spec.Containers = append(pod.Spec.Containers, b.driver.container)
	text := properties.Revealed(b.in.Secrets).Text()
	var secret *corev1.Secret
	if b.hasSecrets() {
		secret = b.secret(text)
	} else {
		b.data[propertiesFile] = text
	}
	return Objects{
		ConfigMap:        b.configMap(),
		Secret:           secret,
		Files:            b.files(),
		Service:          b.service,
		NetworkPolicy:    b.networkPolicy,
		Claims:           b.claims,
		Pod:              pod,
		ExecutorTemplate: b.template,
		SparkVersion:     b.in.App.Spec.SparkVersion,
		Properties:       properties,
		Gated:            b.in.SchedulingGated,
		Names:            b.names,
		UIAddress:        b.uiAddress(),
	}
}

// Required reports whether a step of Spark's client cannot be left out.
func Required(class string) bool { return slices.Contains(requiredSteps, class) }
