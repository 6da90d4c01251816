// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sparkctl runs the real command-line tool against a real API server, with an operator at work.
package sparkctl

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// operator of all tests of the package.
var operator harness.Shared

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// admin returns the user that may do everything.
func admin() *clientcmdapi.AuthInfo {
	return &clientcmdapi.AuthInfo{ClientCertificateData: env.Config().CertData, ClientKeyData: env.Config().KeyData}
}

// user is one who calls sparkctl.
type user struct {
	t          *testing.T
	kubeconfig string
}

// as returns a user whose context has a namespace.
func as(t *testing.T, who *clientcmdapi.AuthInfo, namespace string) user {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["test"] = &clientcmdapi.Cluster{Server: env.Config().Host, CertificateAuthorityData: env.Config().CAData}
	c.AuthInfos["me"] = who
	c.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "me", Namespace: namespace}
	c.CurrentContext = "test"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		t.Fatal(err)
	}
	return user{t, file}
}

// result of a call.
type result struct {
	code         int
	out, problem string
}

// command prepares a call.
func (u user) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(u.t.Context(), harness.Compile(u.t, "sparkctl"), args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+u.kubeconfig)
	return c
}

// calls runs sparkctl to its end.
func (u user) calls(args ...string) result {
	u.t.Helper()
	c := u.command(args...)
	var out, problem bytes.Buffer
	c.Stdout, c.Stderr = &out, &problem
	err := c.Run()
	if c.ProcessState == nil {
		u.t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), out.String(), problem.String()}
}

// sees runs sparkctl, which must succeed and print all the words. It returns what it prints.
func (u user) sees(args []string, words ...string) string {
	u.t.Helper()
	r := u.calls(args...)
	if r.code != 0 {
		u.t.Errorf("sparkctl %s: exit code %d: %s", strings.Join(args, " "), r.code, r.problem)
	}
	u.has(args, r.out, words)
	return r.out
}

// fails runs sparkctl, which must end with that code and report all the words.
func (u user) fails(code int, args []string, words ...string) {
	u.t.Helper()
	r := u.calls(args...)
	if r.code != code {
		u.t.Errorf("sparkctl %s: exit code %d, want %d: %s%s", strings.Join(args, " "), r.code, code, r.out, r.problem)
	}
	u.has(args, r.problem, words)
}

func (u user) has(args []string, text string, words []string) {
	u.t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			u.t.Errorf("sparkctl %s: no %q in:\n%s", strings.Join(args, " "), word, text)
		}
	}
}

// words splits a line into arguments.
func words(line string) []string { return strings.Fields(line) }
