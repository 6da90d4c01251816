// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// auditPolicy logs each write of an application or a pod, with request and response. It also names the groups of all
// other kinds whose writes change what applications hold.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: RequestResponse
  verbs: [create, update, patch, delete, deletecollection]
  resources:
  - group: ""
    resources: [pods, pods/binding, pods/status]
  - group: sparkgate.io
    resources: [sparkapplications, sparkapplications/status]
- level: None
`

// MainAudited is Main with a server that keeps an audit log.
func MainAudited(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sparkgate-audit-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server.auditLog = filepath.Join(dir, "audit.log")
	testEnv := withCRDs()
	testEnv.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", policy).Set("audit-log-path", server.auditLog)
	return run(m, testEnv)
}

// AuditLog returns the path of the audit log of writes of applications and pods, for packages that use MainAudited.
func AuditLog(t *testing.T) string {
	t.Helper()
	if server.auditLog == "" {
		t.Fatal("the server keeps no audit log: run the package by MainAudited")
	}
	return server.auditLog
}
