// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// step is one of the steps with which Spark's client builds the driver.
type step struct {
	// class is the name of the step in Spark, by which users can exclude it; empty if it cannot be excluded.
	class string
	run   func(*build) error
}

// featurePackage is the Java package of the steps.
const featurePackage = "org.apache.spark.deploy.k8s.features."

// steps are in Spark's own order. Steps that read credentials and files of the submitting machine are missing, and so
// are classes of the user.
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

// requiredSteps are the steps that users may not exclude: without them the driver does not work, or its web interface
// cannot be reached.
var requiredSteps = []string{"BasicDriverFeatureStep", "DriverServiceFeatureStep", "DriverCommandFeatureStep", "PodTemplateConfigMapStep"}

// moreProperties is roughly how many properties the build adds.
const moreProperties = 16

// Build returns the objects of an attempt. It returns an error if the input cannot be rendered, which joins
// conf.ValueErrors and FindingErrors. Each of them names field, value and remedy.
func Build(in Input) (Objects, error) {
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
	b.driver, errs = basePod(in, DriverOf(in.App))
	b.driver.grow()
	b.executor, more = basePod(in, ExecutorOf(in.App))
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

// objects assembles the results. Spark's container is the last one in the driver.
func (b *build) objects() Objects {
	// Nothing else refers to the map, so it can be changed.
	properties := b.given
	for _, property := range b.added {
		properties[property.Key] = property
	}
	pod := b.driver.pod
	pod.Spec.Containers = append(pod.Spec.Containers, b.driver.container)
	text := properties.Revealed(b.in.Secrets).Text()
	var secret *corev1.Secret
	if b.in.hasSecrets() {
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
		Workers:          server.IsMaster(&b.in.App.Spec),
		SparkVersion:     b.in.App.Spec.SparkVersion,
		Properties:       properties,
		Gated:            b.in.SchedulingGated,
		Names:            b.names,
		UIAddress:        b.uiAddress(),
	}
}

// Required reports whether users may not exclude a step of Spark's client.
func Required(class string) bool { return slices.Contains(requiredSteps, class) }
