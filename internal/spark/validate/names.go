// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// checkNames checks the names of the application, its namespace and its driver pod.
func checkNames(s *subject) []Finding {
	var findings []Finding
	for _, n := range []struct{ field, what, name string }{
		{"metadata.name", "name", s.app.Name},
		{"metadata.namespace", "namespace", cmp.Or(s.app.Namespace, "default")},
		{"spec.driver.podName", "pod name", cmp.Or(s.spec.Driver.PodName, "default")},
	} {
		findings = append(findings, dnsFindings(n.field, n.what, n.name)...)
	}
	return findings
}

// dnsFindings reports a name that Kubernetes refuses where it demands a DNS label.
func dnsFindings(field, what, name string) []Finding {
	if len(validation.IsDNS1123Label(name)) == 0 {
		return nil
	}
	return []Finding{invalid(field, "invalid %s %q: use at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit", what, name)}
}

// reference is a field that names another object.
type reference struct{ field, name string }

// checkReferences checks the names of other objects.
func checkReferences(s *subject) []Finding {
	references := []reference{
		{"spec.sparkConfigMap", s.spec.SparkConfigMap},
		{s.properties.Field(conf.HadoopConfigMap), s.properties.Get(conf.HadoopConfigMap, "")},
		{s.properties.Field(conf.DriverServiceAccount), s.properties.Get(conf.DriverServiceAccount, "")},
	}
	if queue := s.spec.Queue; queue != nil {
		references = append(references, reference{"spec.queue.priorityClassName", queue.PriorityClassName})
	}
	references = slices.DeleteFunc(references, func(r reference) bool { return r.name == "" })
	for i, name := range s.spec.ImagePullSecrets {
		references = append(references, reference{"spec.imagePullSecrets[" + strconv.Itoa(i) + "]", name})
	}
	for _, source := range s.spec.SparkConfFrom {
		references = append(references, reference{conf.FieldOfSecret(source.Name) + ".secretKeyRef.name", source.SecretKeyRef.Name})
	}
	var findings []Finding
	for _, r := range references {
		if len(validation.IsDNS1123Subdomain(r.name)) > 0 {
			findings = append(findings, invalid(r.field,
				"invalid object name %q: use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit", r.name))
		}
	}
	return append(findings, checkKeys(s.spec.SparkConfFrom)...)
}

// checkKeys checks the keys of Secrets.
func checkKeys(sources []v1alpha1.SparkConfSource) []Finding {
	var findings []Finding
	for _, source := range sources {
		if key := source.SecretKeyRef.Key; len(validation.IsConfigMapKey(key)) > 0 {
			findings = append(findings, invalid(conf.FieldOfSecret(source.Name)+".secretKeyRef.key",
				"invalid Secret key %q: use at most 253 letters, digits, '-', '_' and '.'", key))
		}
	}
	return findings
}

// checkPodNames checks the prefix for the names of executors.
func checkPodNames(s *subject) []Finding {
	// <prefix>-exec-<number> has to be a host name of at most 63 characters.
	const longest = 52
	prefix, ok := s.properties.Lookup(conf.ExecutorPodNamePrefix)
	if !ok || len(validation.IsDNS1123Label(prefix)) == 0 && len(prefix) <= longest {
		return nil
	}
	return []Finding{invalid(s.properties.Field(conf.ExecutorPodNamePrefix),
		"invalid pod name prefix %q: remove it, or use at most %d lower-case letters, digits and '-'", prefix, longest)}
}

// checkRestart checks the restart policy together with readyWhen, and its backoff times.
func checkRestart(s *subject) []Finding {
	policy := s.spec.RestartPolicy
	if policy == nil {
		return nil
	}
	var findings []Finding
	if policy.Type == v1alpha1.RestartAlways && s.spec.ReadyWhen != v1alpha1.ReadyWhenRunning {
		findings = append(findings, invalid("spec.restartPolicy.type",
			"value \"Always\" means that the job never ends, so that it could never be Ready: set spec.readyWhen to Running, or another type"))
	}
	if b := policy.Backoff; b != nil && b.Initial != nil && b.Max != nil && b.Initial.Duration > b.Max.Duration {
		findings = append(findings, invalid("spec.restartPolicy.backoff.initial",
			"value %q is above %q of backoff.max: lower it, or raise the other", b.Initial.Duration, b.Max.Duration))
	}
	return findings
}

// imageName matches the image names that kubelets accept: [registry[:port]/]path[:tag][@digest]. Only the registry may
// contain capital letters.
var imageName = regexp.MustCompile(`^((` + registryPart + `(\.` + registryPart + `)*|\[[0-9a-fA-F:]+\])(:[0-9]+)?/)?` + pathPart + `(/` + pathPart + `)*` +
	`(:\w[\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`)

const (
	registryPart = `[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?`
	pathPart     = `[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*`
)

// checkImages reports image names that no kubelet accepts. Executors with such an image would never start, while their
// driver holds the quota of all of them. Names with tokens are skipped, because Spark replaces the tokens.
func checkImages(s *subject) []Finding {
	var findings []Finding
	for _, key := range []string{conf.Image, conf.Driver.Key("container.image"), conf.Executor.Key("container.image")} {
		image := s.properties.Get(key, "")
		if image == "" || strings.Contains(image, "{{") || imageName.MatchString(image) {
			continue
		}
		findings = append(findings, invalid(s.properties.Field(key), "invalid image name %q: write it as in docker.io/apache/spark:4.1.4, in lower case and without blanks", image))
	}
	return findings
}
