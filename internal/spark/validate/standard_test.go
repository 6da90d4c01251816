// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"testing"
)

// TestStandard: whatever way a pod comes by something that its Pod Security Standard forbids, it is refused, with the field.
func TestStandard(t *testing.T) {
	t.Parallel()
	const (
		none     = ": change that, or set spec.podSecurity to None"
		baseline = ": change that, or set spec.podSecurity to Baseline"
		driver   = "spec.driver.template.spec"
	)
	table{
		"the network of the host": {"driver: {template: {spec: {hostNetwork: true}}}", []string{
			driver + ".hostNetwork: podSecurity Restricted forbids host namespaces (hostNetwork=true)" + none,
		}},
		"the processes of the host": {"executor: {template: {spec: {hostPID: true}}}", []string{
			"spec.executor.template.spec.hostPID: podSecurity Restricted forbids host namespaces (hostPID=true)" + none,
		}},
		"a capability": {"driver: {template: {spec: {containers: [{name: x, securityContext: {capabilities: {add: [NET_ADMIN]}}}]}}}", []string{
			driver + `: podSecurity Restricted forbids ` +
				`unrestricted capabilities (container "x" must not include "NET_ADMIN" in securityContext.capabilities.add)` + none,
		}},
		"a folder of the node in the template": {"executor: {template: {spec: {volumes: [{name: ok, emptyDir: {}}, {name: a, hostPath: {path: /}}]}}}", []string{
			`spec.executor.template.spec.volumes[1]: podSecurity Restricted forbids ` +
				`restricted volume types (volume "a" uses restricted volume type "hostPath")` + none,
		}},
		"a folder of the node in the field": {"driver: {volumes: [{name: a, hostPath: {path: /}}]}", []string{
			`spec.driver.volumes: podSecurity Restricted forbids restricted volume types (volume "a" uses restricted volume type "hostPath")` + none,
		}},
		"a folder of the node by a property of the driver": {
			"sparkConf: {spark.kubernetes.driver.volumes.hostPath.a.mount.path: /a, spark.kubernetes.driver.volumes.hostPath.a.options.path: /}", []string{
				`spec.sparkConf[spark.kubernetes.driver.volumes.hostPath.a.mount.path]: podSecurity Restricted forbids ` +
					`restricted volume types (volume "a" uses restricted volume type "hostPath")` + none,
			},
		},
		"a folder of the node by a property of the executors": {
			"podSecurity: Baseline\nsparkConf: {spark.kubernetes.executor.volumes.hostPath.a.mount.path: /a, spark.kubernetes.executor.volumes.hostPath.a.options.path: /}", []string{
				`spec.sparkConf[spark.kubernetes.executor.volumes.hostPath.a.mount.path]: podSecurity Baseline forbids hostPath volumes (volume "a")` + none,
			},
		},
		"a share, which Baseline allows": {
			"sparkConf: {spark.kubernetes.executor.volumes.nfs.a.mount.path: /a, spark.kubernetes.executor.volumes.nfs.a.options.path: /, " +
				"spark.kubernetes.executor.volumes.nfs.a.options.server: b}", []string{
				`spec.sparkConf[spark.kubernetes.executor.volumes.nfs.a.mount.path]: podSecurity Restricted forbids restricted volume types (volume "a" uses restricted volume type "nfs")` + baseline,
			},
		},
		"privileges that Spark gives to executors": {
			"sparkVersion: 4.3.0\nsparkConf: {spark.kubernetes.executor.securityContext.allowPrivilegeEscalation: 'true'}", []string{
				`spec.executor.template.spec: podSecurity Restricted forbids allowPrivilegeEscalation != false (container "spark-kubernetes-executor" must set ` +
					`securityContext.allowPrivilegeEscalation=false)` + baseline,
			},
		},
		"a setting of the kernel": {"driver: {template: {spec: {securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}}}}", []string{
			driver + ".securityContext.sysctls: podSecurity Restricted forbids forbidden sysctls (kernel.msgmax)" + none,
		}},
		"root, which Baseline allows": {"podSecurity: Baseline\ndriver: {template: {spec: {securityContext: {runAsUser: 0}}}}", nil},
		"None checks nothing":         {"podSecurity: None\ndriver: {template: {spec: {hostNetwork: true, hostPID: true}}}", nil},
		"what Restricted allows":      {"driver: {volumes: [{name: a, emptyDir: {}}, {name: b}, {name: c, secret: {secretName: d}}]}", nil},
	}.run(t)
}
