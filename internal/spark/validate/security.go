// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// checkSecurity reports settings of a template that contradict podSecurity Restricted. If only the empty fields were
// filled in, such pods could not start.
func checkSecurity(s *subject) []Finding {
	if s.level() != v1alpha1.PodSecurityRestricted {
		return nil
	}
	var findings []Finding
	for _, r := range s.roles {
		var nonRoot *bool
		if security := r.parts.Template.Spec.SecurityContext; security != nil {
			nonRoot = security.RunAsNonRoot
			findings = append(findings, rootFindings(r.Path+".template.spec.securityContext", security.RunAsUser, security.RunAsNonRoot)...)
		}
		containers, paths := r.containersOf()
		for _, path := range paths {
			if security := containers[path].SecurityContext; security != nil {
				findings = append(findings, containerFindings(path+".securityContext", security, nonRoot)...)
			}
		}
	}
	return findings
}

// remedyNone is the remedy for a pod that needs more than Restricted allows.
const remedyNone = "set spec.podSecurity to None"

// containerFindings checks the security context of one container. nonRoot is runAsNonRoot of the pod.
func containerFindings(path string, security *corev1.SecurityContext, nonRoot *bool) []Finding {
	if security.RunAsNonRoot != nil {
		nonRoot = security.RunAsNonRoot
	}
	findings := rootFindings(path, security.RunAsUser, nonRoot)
	if security.AllowPrivilegeEscalation != nil {
		return findings
	}
	if security.Privileged != nil && *security.Privileged {
		findings = append(findings, invalid(path+".privileged", "value true is not allowed while podSecurity is Restricted: "+remedyNone+", or remove it"))
	}
	if security.Capabilities != nil && slices.Contains(security.Capabilities.Add, "SYS_ADMIN") {
		findings = append(findings, invalid(path+".capabilities.add", "value \"SYS_ADMIN\" is not allowed while podSecurity is Restricted: "+remedyNone+", or remove it"))
	}
	return findings
}

// checkPrivileges reports privileged Spark containers for which this version of Spark turns privilege escalation off.
// Kubernetes would refuse the pod.
func checkPrivileges(s *subject) []Finding {
	if !render.SetsPrivileges(s.spec.SparkVersion) {
		return nil
	}
	var findings []Finding
	for _, r := range s.roles {
		if r.spark < 0 {
			continue
		}
		security := r.parts.Template.Spec.Containers[r.spark].SecurityContext
		if security == nil || security.Privileged == nil || !*security.Privileged {
			continue
		}
		if allowed, err := render.Privileges(s.properties, r.Name); err == nil && !allowed {
			findings = append(findings, invalid(r.containerPath(r.spark)+".securityContext.privileged",
				"value true needs a privilege that Spark %s takes from its containers: set %s to true in spec.sparkConf, or remove it",
				s.spec.SparkVersion, render.PrivilegesKey(r.Name)))
		}
	}
	return findings
}

// rootFindings reports the user root, unless runAsNonRoot is false.
func rootFindings(path string, user *int64, nonRoot *bool) []Finding {
	if user == nil || *user != 0 || nonRoot != nil && !*nonRoot {
		return nil
	}
	return []Finding{invalid(path+".runAsUser", "value 0 is root, which podSecurity Restricted excludes: %s, or use another user", remedyNone)}
}

// checkSteps reports excluded steps without which the driver does not work, or its web interface cannot be reached.
func checkSteps(s *subject) []Finding {
	var findings []Finding
	for _, class := range conf.Split(s.properties.Get(conf.DriverExcludedSteps, "")) {
		if name := class[strings.LastIndexByte(class, '.')+1:]; render.Required(name) {
			findings = append(findings, invalid(s.properties.Field(conf.DriverExcludedSteps), "value %q is a step without which no driver works, or nothing leads to its web interface: remove it", class))
		}
	}
	return findings
}
