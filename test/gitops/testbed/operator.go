// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// operatorAccount is the account of the operator in config.
const operatorAccount = "system:serviceaccount:sparkgate-system:sparkgate"

// Operator is one process of the operator, shared by all tests of a package that run at the same time. The zero value
// is ready for use.
type Operator struct {
	// Flags are added to those of the Deployment. They are set before the first use.
	Flags []string
	// Installed reports whether the test has installed the operator, so that its account has its rights.
	Installed bool

	mu      sync.Mutex
	users   int
	process *Process
}

// Use starts the operator unless another test uses it already, and stops it with the last one.
func (o *Operator) Use(t *testing.T) *Process {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.users == 0 {
		o.process = o.start(t)
	}
	o.users++
	t.Cleanup(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if t.Failed() {
			t.Logf("the operator's log:\n%s", o.process.tail())
		}
		if o.users--; o.users == 0 {
			o.process.Stop()
		}
	})
	return o.process
}

// Process is the operator's process. It may be started repeatedly.
type Process struct {
	program, kubeconfig, log string
	args                     []string
	running                  *exec.Cmd
	ended                    chan struct{}
}

// prepared has what all tests need once.
var prepared struct {
	sync.Mutex
	hasRights bool
}

// prepare compiles the program, and returns its path.
func prepare(t *testing.T, installed bool) string {
	t.Helper()
	prepared.Lock()
	defer prepared.Unlock()
	if !installed && !prepared.hasRights {
		giveRights(t)
		prepared.hasRights = true
	}
	return harness.Compile(t, "sparkgate")
}

// giveRights applies what the operator needs of config, except for the CRDs, which the API server has.
func giveRights(t *testing.T) {
	t.Helper()
	if _, err := env.Kubectl(t, "create", "namespace", "sparkgate-system"); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"rbac", "everywhere"} {
		if _, err := env.Kubectl(t, "apply", "-k", filepath.Join(env.Root(), "config", folder)); err != nil {
			t.Fatal(err)
		}
	}
}

// address matches flags whose value is an address of the pod.
var address = regexp.MustCompile(`^(--[a-z]+-addr)=.*$`)

// start starts the program with the flags of the Deployment in config and those of o, and the rights of its account. It
// does not listen on any address.
func (o *Operator) start(t *testing.T) *Process {
	t.Helper()
	program, dir := prepare(t, o.Installed), filepath.Dir(env.Cluster().Kubeconfig)
	text, err := os.ReadFile(filepath.Join(env.Root(), "config", "manager", "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	deployment := &appsv1.Deployment{}
	if err := yaml.UnmarshalStrict(text, deployment); err != nil {
		t.Fatal(err)
	}
	p := &Process{program: program, kubeconfig: filepath.Join(dir, "operator"), log: filepath.Join(dir, "operator.log")}
	p.args = slices.Clone(o.Flags)
	for _, arg := range deployment.Spec.Template.Spec.Containers[0].Args {
		p.args = append(p.args, address.ReplaceAllString(arg, "$1=0"))
	}
	config, err := clientcmd.LoadFromFile(env.Cluster().Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.Impersonate = operatorAccount
	}
	if err := clientcmd.WriteToFile(*config, p.kubeconfig); err != nil {
		t.Fatal(err)
	}
	p.Start(t)
	return p
}

// Start starts the program. It does not outlive the test's process.
func (p *Process) Start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	// The program has its own copy.
	defer log.Close()
	p.running, p.ended = exec.Command(p.program, p.args...), make(chan struct{})
	p.running.Env = append(os.Environ(), "KUBECONFIG="+p.kubeconfig, "RUNTIME_NAMESPACE=sparkgate-system")
	p.running.Stdout, p.running.Stderr = log, log
	p.running.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.running.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		// The log says more about the end.
		_ = p.running.Wait()
		close(p.ended)
	}()
}

// Stop asks the program to end, as the kubelet does, and waits until it has.
func (p *Process) Stop() {
	// An error means that it has ended already.
	_ = p.running.Process.Signal(syscall.SIGTERM)
	<-p.ended
}

// tail returns the end of the log.
func (p *Process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	const most = 8000
	if len(text) > most {
		text = text[len(text)-most:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return string(text)
}
