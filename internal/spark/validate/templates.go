// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// checkTemplates reports raw parts that cannot be decoded: templates, variables, volumes, mounts and affinity.
func checkTemplates(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		for _, mistake := range r.mistakes {
			findings = append(findings, findingsOf(mistake)...)
		}
		if r.parts.Affinity != nil && r.parts.Template.Spec.Affinity != nil {
			findings = append(findings, invalid(r.Path+".affinity", "the template already has an affinity; remove one"))
		}
	}
	return findings
}

// containersOf returns the containers and init containers of a role's template by their paths, and the sorted paths.
func (r role) containersOf() (map[string]corev1.Container, []string) {
	containers := map[string]corev1.Container{}
	for i, container := range r.parts.Template.Spec.Containers {
		containers[r.containerPath(i)] = container
	}
	for i, container := range r.parts.Template.Spec.InitContainers {
		containers[fmt.Sprintf("%s.template.spec.initContainers[%d]", r.Path, i)] = container
	}
	return containers, slices.Sorted(maps.Keys(containers))
}

// containerPath returns the path of a container of the template.
func (r role) containerPath(i int) string {
	return fmt.Sprintf("%s.template.spec.containers[%d]", r.Path, i)
}

// checkContainers reports templates in which it is not clear which container is Spark's, or that set its size where
// Spark overwrites it.
func checkContainers(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		findings = append(findings, r.duplicateContainers()...)
		findings = append(findings, r.rivalContainers()...)
		findings = append(findings, r.containerSize()...)
		findings = append(findings, r.containerAdditions(s.spec.SparkVersion)...)
	}
	return findings
}

// duplicateContainers reports container names that are missing or used twice.
func (r role) duplicateContainers() []Finding {
	var findings []Finding
	containers, paths := r.containersOf()
	first := map[string]string{}
	for _, path := range paths {
		name := containers[path].Name
		if name == "" && (r.spark < 0 || path != r.containerPath(r.spark)) {
			findings = append(findings, invalid(path+".name", "the name is missing: every container but Spark's needs one"))
			continue
		}
		if other, taken := first[name]; taken {
			findings = append(findings, invalid(path+".name", "name %q is already used by %s; choose another", name, other))
			continue
		}
		first[name] = path
	}
	return findings
}

// rivalContainers reports containers that have the name of Spark's container although another one is Spark's.
func (r role) rivalContainers() []Finding {
	var findings []Finding
	own := []string{"spark-kubernetes-driver", "spark-kubernetes-executor"}
	containers, paths := r.containersOf()
	for _, path := range paths {
		if r.spark >= 0 && path == r.containerPath(r.spark) {
			continue
		}
		if name := containers[path].Name; slices.Contains(own, name) {
			findings = append(findings, invalid(path+".name",
				"value %q is the name of Spark's own container, but another container is Spark's here: rename it", name))
		}
	}
	return findings
}

// containerSize reports cpu and memory of Spark's container, which Spark overwrites.
func (r role) containerSize() []Finding {
	if r.spark < 0 {
		return nil
	}
	resources := r.parts.Template.Spec.Containers[r.spark].Resources
	var findings []Finding
	for _, set := range []struct {
		kind, cpu string
		list      corev1.ResourceList
	}{
		{"requests", "coreRequest", resources.Requests},
		{"limits", "coreLimit", resources.Limits},
	} {
		path := r.containerPath(r.spark) + ".resources." + set.kind
		if cpu, ok := set.list[corev1.ResourceCPU]; ok {
			findings = append(findings, invalid(path+".cpu", "value %q would be overwritten by Spark: set %s.%s instead", cpu.String(), r.Path, set.cpu))
		}
		if memory, ok := set.list[corev1.ResourceMemory]; ok {
			findings = append(findings, invalid(path+".memory",
				"value %q would be overwritten by Spark: set %s.memory and %s.memoryOverhead instead", memory.String(), r.Path, r.Path))
		}
	}
	return findings
}

// containerAdditions reports what Spark adds to its container, whatever is there already: Kubernetes refuses two ports of
// one name, and two resize policies of one resource. Of executors, the log of the driver alone would say so.
func (r role) containerAdditions(version string) []Finding {
	if r.spark < 0 {
		return nil
	}
	own := []string{render.ExecutorPortName}
	if r.Name == conf.Driver {
		own = nil
		for _, port := range render.PortsOf(version) {
			own = append(own, port.Name)
		}
	}
	container := r.parts.Template.Spec.Containers[r.spark]
	var findings []Finding
	for i, port := range container.Ports {
		if slices.Contains(own, port.Name) {
			findings = append(findings, invalid(fmt.Sprintf("%s.ports[%d].name", r.containerPath(r.spark), i),
				"value %q is the name of a port that Spark adds: remove the port, or rename it", port.Name))
		}
	}
	if r.Name == conf.Executor && render.SetsResizePolicy(version) && len(container.ResizePolicy) > 0 {
		findings = append(findings, invalid(r.containerPath(r.spark)+".resizePolicy",
			"Spark %s adds a policy for cpu and memory, both NotRequired, and Kubernetes refuses two: remove it", version))
	}
	return findings
}

// checkTemplateMetadata reports metadata, and a restart policy, that a template may not set.
func checkTemplateMetadata(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		meta, path := r.parts.Template.ObjectMeta, r.Path+".template.metadata"
		if meta.Namespace != "" && meta.Namespace != s.app.Namespace {
			findings = append(findings, invalid(path+".namespace", "value %q is another namespace than the application's: remove it", meta.Namespace))
		}
		if policy := r.parts.Template.Spec.RestartPolicy; policy != "" && policy != corev1.RestartPolicyNever {
			findings = append(findings, invalid(r.Path+".template.spec.restartPolicy", "value %q would be overwritten by Spark: remove it; spec.restartPolicy says what is tried again", policy))
		}
		if len(meta.OwnerReferences) > 0 {
			findings = append(findings, invalid(path+".ownerReferences", "the owner of the pods is set by the operator and by Spark: remove it"))
		}
		if len(meta.Finalizers) > 0 {
			findings = append(findings, invalid(path+".finalizers",
				"value %q would keep pods and their quota after the end of the job: remove it", strings.Join(meta.Finalizers, ",")))
		}
	}
	return append(findings, checkAccount(s)...)
}

// checkAccount compares the driver's service account in the template with that of the field.
func checkAccount(s *subject) []Finding {
	inTemplate := s.roles[0].parts.Template.Spec.ServiceAccountName
	name, ok := s.properties.Lookup(conf.DriverServiceAccount)
	if !ok || inTemplate == "" || inTemplate == name {
		return nil
	}
	return []Finding{invalid("spec.driver.template.spec.serviceAccountName",
		"value %q contradicts %q of %s; remove one", inTemplate, name, s.properties.Field(conf.DriverServiceAccount))}
}

// checkGracePeriod compares the grace period in the template of the executors with the property by which Spark replaces
// it.
func checkGracePeriod(s *subject) []Finding {
	version, executor := s.spec.SparkVersion, s.roles[1]
	if !render.SetsGracePeriod(version) {
		return nil
	}
	seconds, err := s.properties.Seconds(conf.ExecutorGracePeriod, 0)
	if err != nil {
		return findingsOf(err)
	}
	inTemplate, field := executor.parts.Template.Spec.TerminationGracePeriodSeconds, executor.Path+".template.spec.terminationGracePeriodSeconds"
	value, ok := s.properties.Lookup(conf.ExecutorGracePeriod)
	switch {
	case inTemplate == nil:
		return nil
	case *inTemplate < 0:
		return []Finding{invalid(field, "value %d is below 0, which Spark %s refuses: set a whole number that is not negative", *inTemplate, version)}
	case ok && seconds != *inTemplate:
		return []Finding{invalid(field, "value %d contradicts %q of %s; remove one", *inTemplate, value, s.properties.Field(conf.ExecutorGracePeriod))}
	}
	return nil
}

// checkHooks reports lifecycle hooks of executors that Spark would replace by the one for decommissioning. Workers of a
// cluster keep theirs.
func checkHooks(s *subject) []Finding {
	executor := s.roles[1]
	on, err := s.properties.Bool(conf.DecommissionEnabled, false)
	if err != nil || !on || server.IsMaster(s.spec) || executor.spark < 0 || !render.HasHooks(&executor.parts.Template.Spec.Containers[executor.spark]) {
		return nil // what cannot be read is reported by checkValues
	}
	return []Finding{invalid(executor.containerPath(executor.spark)+".lifecycle",
		"all hooks would be replaced by Spark, because %s is true: remove them and have a script of the image do what they do, named by spark.kubernetes.decommission.script, "+
			"which Spark runs instead of /opt/decom.sh; or set %[1]s to false", conf.DecommissionEnabled)}
}
