// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// evaluator returns Kubernetes' own evaluator, which Pod Security admission also uses.
var evaluator = sync.OnceValues(func() (policy.Evaluator, error) { return policy.NewEvaluator(policy.DefaultChecks(), nil) })

// level returns the Pod Security Standard that the pods have to meet.
func (s *subject) level() v1alpha1.PodSecurity {
	if s.spec.PodSecurity == "" {
		return v1alpha1.PodSecurityRestricted
	}
	return s.spec.PodSecurity
}

// checkStandard checks the finished driver and an executor against the Pod Security Standard of spec.podSecurity.
func checkStandard(s *subject, objects render.Objects, executor *corev1.Pod) []Finding {
	if s.level() == v1alpha1.PodSecurityNone {
		return nil
	}
	evaluate, err := evaluator()
	if err != nil {
		return findingsOf(err)
	}
	reported := len(checkSecurity(s)) > 0
	var findings []Finding
	for i, pod := range []*corev1.Pod{objects.Pod, executor} {
		findings = append(findings, standard{evaluate, s, s.roles[i], reported}.findings(defaulted(pod))...)
	}
	return findings
}

// defaulted returns a copy of a pod with the one default of the API server that the evaluator relies on: a volume
// without a type is an emptyDir.
func defaulted(pod *corev1.Pod) *corev1.Pod {
	out := *pod
	out.Spec.Volumes = slices.Clone(pod.Spec.Volumes)
	for i := range out.Spec.Volumes {
		if v := &out.Spec.Volumes[i]; v.VolumeSource == (corev1.VolumeSource{}) {
			v.EmptyDir = &corev1.EmptyDirVolumeSource{}
		}
	}
	return &out
}

// standard checks the pod of one role against the Pod Security Standard.
type standard struct {
	policy.Evaluator
	s    *subject
	role role
	// reported reports that checkSecurity has findings, which name the field of the container.
	reported bool
}

// reportedBySecurity are the reasons of the evaluator about which checkSecurity has findings.
var reportedBySecurity = []string{"privileged", "runAsNonRoot != true", "runAsUser=0", "allowPrivilegeEscalation != false", "unrestricted capabilities", "non-default capabilities"}

// findings returns the reasons of the evaluator, one finding for each field.
func (e standard) findings(pod *corev1.Pod) []Finding {
	level, weaker := api.LevelRestricted, v1alpha1.PodSecurityBaseline
	if e.s.level() == v1alpha1.PodSecurityBaseline {
		level = api.LevelBaseline
	}
	if len(e.forbidden(api.LevelBaseline, pod)) > 0 {
		weaker = v1alpha1.PodSecurityNone
	}
	reasons := map[string][]string{}
	var fields []string
	for _, result := range e.forbidden(level, pod) {
		if e.reported && slices.Contains(reportedBySecurity, result.ForbiddenReason) {
			continue
		}
		field := e.field(pod, result.ForbiddenReason)
		if reasons[field] == nil {
			fields = append(fields, field)
		}
		text := result.ForbiddenReason
		if result.ForbiddenDetail != "" {
			text += " (" + result.ForbiddenDetail + ")"
		}
		reasons[field] = append(reasons[field], text)
	}
	var findings []Finding
	for _, field := range fields {
		findings = append(findings, invalid(field, "podSecurity %s forbids %s: change that, or set spec.podSecurity to %s",
			e.s.level(), strings.Join(reasons[field], "; "), weaker))
	}
	return findings
}

// forbidden returns the checks of a level that the pod fails.
func (e standard) forbidden(level api.Level, pod *corev1.Pod) []policy.CheckResult {
	results := e.EvaluatePod(api.LevelVersion{Level: level, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec)
	return slices.DeleteFunc(results, func(r policy.CheckResult) bool { return r.Allowed })
}

// field returns the field that most likely causes a reason.
func (e standard) field(pod *corev1.Pod, reason string) string {
	template := e.role.Path + ".template.spec"
	switch reason {
	case "host namespaces":
		for _, host := range []struct {
			name string
			set  bool
		}{{"hostNetwork", pod.Spec.HostNetwork}, {"hostPID", pod.Spec.HostPID}, {"hostIPC", pod.Spec.HostIPC}} {
			if host.set {
				return template + "." + host.name
			}
		}
	case "hostPath volumes", "restricted volume types":
		return e.volumeField(pod)
	case "forbidden sysctls":
		return template + ".securityContext.sysctls"
	}
	return template
}

// volumeField returns the field that defines the first volume whose type is forbidden: a property, or a list of
// volumes.
func (e standard) volumeField(pod *corev1.Pod) string {
	for _, volume := range pod.Spec.Volumes {
		alone := &corev1.Pod{Spec: corev1.PodSpec{Volumes: []corev1.Volume{volume}}}
		forbids := func(r policy.CheckResult) bool { return strings.Contains(r.ForbiddenReason, "volume") }
		if !slices.ContainsFunc(e.forbidden(api.LevelRestricted, alone), forbids) {
			continue
		}
		for _, property := range e.s.properties.WithPrefix(e.role.Name.Key("volumes.")) {
			if _, rest, _ := strings.Cut(property.Name, "."); strings.HasPrefix(rest, volume.Name+".") {
				return e.s.properties.Field(property.Key)
			}
		}
		if i := slices.IndexFunc(e.role.parts.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == volume.Name }); i >= 0 {
			return fmt.Sprintf("%s.template.spec.volumes[%d]", e.role.Path, i)
		}
		return e.role.Path + ".volumes"
	}
	return e.role.Path + ".template.spec.volumes"
}
