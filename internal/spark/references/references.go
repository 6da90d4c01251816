// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Kind is the kind of an object that a pod references.
type Kind string

// The kinds.
const (
	ConfigMap Kind = "ConfigMap"
	Secret    Kind = "Secret"
	Claim     Kind = "PersistentVolumeClaim"
)

// Reference is an object in the namespace of the application without which a pod cannot start.
type Reference struct {
	Kind Kind
	Name string
	// Key is the key of the object that is needed; empty if the object itself is.
	Key string
	// By is the first place that references it, such as volume "settings" of the driver pod.
	By string
}

// Most is the maximum number of references that are returned for an attempt, because the operator has to read each of
// them.
const Most = 100

// Of returns the objects that the pods of an attempt reference, each once, those of the driver first: in volumes,
// projected volumes, environment variables and imagePullSecrets of the rendered pods, and in the properties for what Spark adds to
// executors itself. Optional references are left out, and so are objects that are created for the attempt.
func Of(objects render.Objects) []Reference {
	c := collector{created: map[Reference]bool{}, seen: map[Reference]bool{}}
	c.leaveOut(objects)
	c.pod("the driver pod", &objects.Pod.Spec)
	if gang, err := objects.Properties.Executors(); err != nil || gang.Most > 0 {
		c.pod("the executor pods", &objects.ExecutorTemplate.Spec)
		c.addedBySpark(objects.Properties)
	}
	return c.found
}

// collector collects references.
type collector struct {
	// created are the objects that are created for the attempt, seen the references that have been found.
	created, seen map[Reference]bool
	found         []Reference
}

// leaveOut marks the objects that are created for the attempt as such.
func (c *collector) leaveOut(objects render.Objects) {
	if objects.ConfigMap != nil {
		c.created[Reference{Kind: ConfigMap, Name: objects.ConfigMap.Name}] = true
	}
	if objects.Secret != nil {
		c.created[Reference{Kind: Secret, Name: objects.Secret.Name}] = true
	}
	for _, files := range objects.Files {
		c.created[Reference{Kind: ConfigMap, Name: files.Name}] = true
	}
	for _, claim := range objects.Claims {
		c.created[Reference{Kind: Claim, Name: claim.Name}] = true
	}
}

// add adds a reference unless it is optional. It ignores a reference without a name, which the API server will refuse.
func (c *collector) add(kind Kind, name string, optional *bool, by string) {
	c.addKey(kind, name, "", optional, by)
}

// addKey is add for a key of an object.
func (c *collector) addKey(kind Kind, name, key string, optional *bool, by string) {
	object := Reference{Kind: kind, Name: name, Key: key}
	if name == "" || optional != nil && *optional || c.created[Reference{Kind: kind, Name: name}] || c.seen[object] || len(c.found) == Most {
		return
	}
	c.seen[object] = true
	object.By = by
	c.found = append(c.found, object)
}

// pod adds the references of a pod.
func (c *collector) pod(of string, spec *corev1.PodSpec) {
	for i := range spec.Volumes {
		c.volume(&spec.Volumes[i], fmt.Sprintf("volume %q of %s", spec.Volumes[i].Name, of))
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			c.environment(&containers[i], fmt.Sprintf("container %q of %s", containers[i].Name, of))
		}
	}
	for _, secret := range spec.ImagePullSecrets {
		c.add(Secret, secret.Name, nil, "imagePullSecrets of "+of)
	}
}

// volume adds the references of a volume.
func (c *collector) volume(v *corev1.Volume, by string) {
	if v.ConfigMap != nil {
		c.add(ConfigMap, v.ConfigMap.Name, v.ConfigMap.Optional, by)
	}
	if v.Secret != nil {
		c.add(Secret, v.Secret.SecretName, v.Secret.Optional, by)
	}
	if v.PersistentVolumeClaim != nil {
		c.add(Claim, v.PersistentVolumeClaim.ClaimName, nil, by)
	}
	if v.Projected == nil {
		return
	}
	for _, source := range v.Projected.Sources {
		if source.ConfigMap != nil {
			c.add(ConfigMap, source.ConfigMap.Name, source.ConfigMap.Optional, by)
		}
		if source.Secret != nil {
			c.add(Secret, source.Secret.Name, source.Secret.Optional, by)
		}
	}
}

// environment adds the references of a container's variables.
func (c *collector) environment(container *corev1.Container, of string) {
	for _, variable := range container.Env {
		source, by := variable.ValueFrom, fmt.Sprintf("env %q of %s", variable.Name, of)
		if source == nil {
			continue
		}
		if ref := source.ConfigMapKeyRef; ref != nil {
			c.addKey(ConfigMap, ref.Name, ref.Key, ref.Optional, by)
		}
		if ref := source.SecretKeyRef; ref != nil {
			c.addKey(Secret, ref.Name, ref.Key, ref.Optional, by)
		}
	}
	for _, source := range container.EnvFrom {
		if ref := source.ConfigMapRef; ref != nil {
			c.add(ConfigMap, ref.Name, ref.Optional, "envFrom of "+of)
		}
		if ref := source.SecretRef; ref != nil {
			c.add(Secret, ref.Name, ref.Optional, "envFrom of "+of)
		}
	}
}

// addedBySpark adds the references that Spark adds to executors beyond their template (MountSecretsFeatureStep,
// EnvSecretsFeatureStep, MountVolumesFeatureStep). It leaves out claims that Spark creates, and those whose names only
// Spark knows.
func (c *collector) addedBySpark(properties conf.Properties) {
	secrets, variables := conf.Executor.Key("secrets."), conf.Executor.Key("secretKeyRef.")
	for _, p := range properties.WithPrefix(secrets) {
		c.add(Secret, p.Name, nil, properties.Field(secrets+p.Name))
	}
	for _, p := range properties.WithPrefix(variables) {
		name, _, _ := strings.Cut(p.Value, ":")
		c.add(Secret, name, nil, properties.Field(variables+p.Name))
	}
	for _, claim := range properties.ExecutorClaims() {
		if !claim.Created && !claim.Own {
			c.add(Claim, claim.Value, nil, properties.Field(claim.Key))
		}
	}
}
