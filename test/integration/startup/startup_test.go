// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package startup starts the operator's program where it cannot work yet, or not at all. Its tests change the CRDs of the server, so
// they run one after the other.
package startup

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// says waits until the process has logged a line with all of some words.
func says(t *testing.T, p *harness.Process, words ...string) {
	t.Helper()
	env.UntilSeen(t, "the operator says "+strings.Join(words, ", "), func() (bool, any) { return lines(p, words...) > 0, p.Log() })
}

// lines counts those with all of some words.
func lines(p *harness.Process, words ...string) int {
	n := 0
	for line := range strings.Lines(p.Log()) {
		has := true
		for _, word := range words {
			has = has && strings.Contains(line, word)
		}
		if has {
			n++
		}
	}
	return n
}

// runs reports whether the process has not ended.
func runs(p *harness.Process) bool {
	select {
	case <-p.Ended():
		return false
	default:
		return true
	}
}

// kubeconfig writes one like the administrator's, with a change.
func kubeconfig(t *testing.T, change func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo)) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(env.Cluster().Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	in := config.Contexts[config.CurrentContext]
	change(config.Clusters[in.Cluster], config.AuthInfos[in.AuthInfo])
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWrongKubeconfig: what the operator reads only when it starts does not become right by waiting. It ends with one line that says what
// to correct.
func TestWrongKubeconfig(t *testing.T) {
	program := harness.BuildProgram(t)
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("clusters: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimSuffix(env.Config().Host, "/")
	for name, tt := range map[string]struct {
		kubeconfig string
		want       []string
	}{
		"no file":    {filepath.Join(t.TempDir(), "none"), []string{"find the cluster", "set KUBECONFIG"}},
		"not a file": {broken, []string{"find the cluster", broken}},
		"another authority": {kubeconfig(t, func(c *clientcmdapi.Cluster, _ *clientcmdapi.AuthInfo) { c.CertificateAuthorityData = nil }),
			[]string{host, "certificate", "correct server and certificate-authority"}},
		"an unknown user": {kubeconfig(t, func(_ *clientcmdapi.Cluster, a *clientcmdapi.AuthInfo) {
			*a = clientcmdapi.AuthInfo{Token: "expired"}
		}), []string{host, "provide credentials", "correct the user"}},
	} {
		t.Run(name, func(t *testing.T) {
			program.Kubeconfig = tt.kubeconfig
			p := program.Start(t)
			<-p.Ended()
			if p.ExitCode() != 1 || lines(p, tt.want...) != 1 || strings.Count(p.Log(), "\n") != 1 || strings.Contains(p.Log(), "expired") {
				t.Errorf("exit code %d, want 1 and one line with %q:\n%s", p.ExitCode(), tt.want, p.Log())
			}
		})
	}
}

// TestServerThatComesLate: an API server that cannot be reached is waited for, and said once.
func TestServerThatComesLate(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	app := w.Apply("early")
	address := freeAddress(t)
	program := harness.BuildProgram(t)
	program.Kubeconfig = kubeconfig(t, func(c *clientcmdapi.Cluster, _ *clientcmdapi.AuthInfo) { c.Server = "https://" + address })
	p := program.Start(t, "--watch-namespaces="+w.Namespace)
	says(t, p, "Waiting for the API server", address, "remedy")
	forward(t, address)
	w.Succeed(app)
	if n := lines(p, "Waiting for the API server"); n != 1 {
		t.Errorf("said %d times:\n%s", n, p.Log())
	}
}

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	return held.Addr().String()
}

// answers waits until a probe gets a status.
func answers(t *testing.T, probe string, status int) {
	t.Helper()
	env.UntilSeen(t, probe+" answers", func() (bool, any) {
		response, err := http.Get(probe)
		if err != nil {
			return false, err
		}
		return response.Body.Close() == nil && response.StatusCode == status, response.Status
	})
}

// forward passes connections on to the API server.
func forward(t *testing.T, from string) {
	t.Helper()
	to, err := url.Parse(env.Config().Host)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to.Host)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() { _, _ = io.Copy(client, server); _ = client.Close() }()
		}
	}()
}

// TestCRDsThatComeLate: the operator waits for its CRDs, alive and not ready, and then continues automatically.
func TestCRDsThatComeLate(t *testing.T) {
	name := "scheduledsparkapplications." + v1alpha1.Group
	definition := get(t, name)
	if err := definitions(t).Delete(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	env.Until(t, "the CRD is gone", func() bool {
		return apierrors.IsNotFound(definitions(t).Get(t.Context(), client.ObjectKeyFromObject(definition), definition.DeepCopy()))
	})
	w := harness.NewWorld(t, "3Gi", nil)
	app := w.Apply("early")
	health := freeAddress(t)
	p := harness.BuildProgram(t).Start(t, "--watch-namespaces="+w.Namespace, "--health-addr="+health)
	says(t, p, "Waiting for CustomResourceDefinitions", `"missing":["ScheduledSparkApplication"]`, "config/crd")
	answers(t, "http://"+health+"/healthz", http.StatusOK)
	answers(t, "http://"+health+"/readyz", http.StatusServiceUnavailable)
	definition.ResourceVersion, definition.UID, definition.Status = "", "", apiextensionsv1.CustomResourceDefinitionStatus{}
	if err := definitions(t).Create(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	w.Succeed(app)
	answers(t, "http://"+health+"/readyz", http.StatusOK)
	if !runs(p) {
		t.Errorf("the operator has ended:\n%s", p.Log())
	}
}

// TestOlderCRD: a CRD that is older than the operator would drop a part of what it records, and what is not kept, such as a
// grant, would happen twice. So the operator waits until it is updated. A newer one does not hold it up.
func TestOlderCRD(t *testing.T) {
	namespace := env.Namespace(t)
	harness.Queue(t, namespace, "", "3Gi")
	app := harness.Pi(namespace, "early", namespace)
	harness.Create(t, app)
	const annotation = "sparkgate.io/schema"
	name := "sparkapplications." + v1alpha1.Group
	asShipped := get(t, name)
	t.Cleanup(func() {
		change(t, name, func(d *apiextensionsv1.CustomResourceDefinition) {
			d.Annotations, d.Spec = asShipped.Annotations, asShipped.Spec
		})
	})
	change(t, name, func(d *apiextensionsv1.CustomResourceDefinition) {
		delete(d.Annotations, annotation)
		delete(d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties, "grant")
	})
	p := harness.BuildProgram(t).Start(t, "--watch-namespaces="+namespace)
	says(t, p, "Waiting for newer CustomResourceDefinitions", `"older":["`+name+`"]`, "config/crd")
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil || app.Status.ObservedGeneration > 0 {
		t.Errorf("decided before the CRD keeps grants: %s (%v)", harness.Show(app), err)
	}
	change(t, name, func(d *apiextensionsv1.CustomResourceDefinition) {
		d.Annotations[annotation], d.Spec = "1000000-ffffffff", asShipped.Spec
	})
	harness.Eventually(t, app, "granted", func(a *v1alpha1.SparkApplication) bool { return a.Status.Grant != nil })
}

// get reads a CRD, also while the test cleans up.
func get(t *testing.T, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := definitions(t).Get(context.WithoutCancel(t.Context()), client.ObjectKey{Name: name}, definition); err != nil {
		t.Fatal(err)
	}
	return definition
}

// change changes a CRD, also while the test cleans up.
func change(t *testing.T, name string, how func(*apiextensionsv1.CustomResourceDefinition)) {
	t.Helper()
	definition := get(t, name)
	how(definition)
	if err := definitions(t).Update(context.WithoutCancel(t.Context()), definition); err != nil {
		t.Fatal(err)
	}
}

// definitions returns a client for CRDs.
func definitions(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
