// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/systems"
)

// AssetsVariable names the folder with kube-apiserver, etcd and kubectl.
const AssetsVariable = "KUBEBUILDER_ASSETS"

// server is the API server of this test binary; set by Main before any test runs, only read after that.
var server struct {
	root       string
	assets     string
	kubeconfig string
	auditLog   string
	config     *rest.Config
	client     client.Client
}

// Main starts the server, runs the tests of the package and stops the server. It returns the exit code: TestMain is
//
//	func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
func Main(m *testing.M) int { return run(m, withCRDs()) }

// withCRDs has paths in the repository.
func withCRDs() *envtest.Environment {
	return &envtest.Environment{CRDDirectoryPaths: []string{"config/crd/bases"}}
}

// MainWithoutCRDs is Main with a server that does not know our kinds.
func MainWithoutCRDs(m *testing.M) int { return run(m, &envtest.Environment{}) }

func run(m *testing.M, testEnv *envtest.Environment) int {
	stop, err := start(testEnv)
	if err != nil {
		fmt.Fprintf(os.Stderr, "integration tests need a kube-apiserver, and there is none: %v\n", err)
		return 1
	}
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintf(os.Stderr, "stopping the kube-apiserver: %v\n", err)
		return max(code, 1)
	}
	return code
}

func start(testEnv *envtest.Environment) (stop func() error, err error) {
	if server.root, err = findRoot(); err != nil {
		return nil, err
	}
	if server.assets, err = findAssets(server.root); err != nil {
		return nil, err
	}
	for i, path := range testEnv.CRDDirectoryPaths {
		testEnv.CRDDirectoryPaths[i] = filepath.Join(server.root, path)
	}
	testEnv.ErrorIfCRDPathMissing = true
	testEnv.BinaryAssetsDirectory = server.assets
	// If the start fails half way, for example because a CRD is refused, the programs are still running.
	if server.config, err = testEnv.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start it with the programs of %s: %w", server.assets, err), testEnv.Stop())
	}
	if err := connect(testEnv); err != nil {
		return nil, errors.Join(err, testEnv.Stop())
	}
	return func() error {
		return firstError(testEnv.Stop(), os.RemoveAll(filepath.Dir(server.kubeconfig)))
	}, nil
}

// connect creates the client, and the kubeconfig of an administrator for kubectl.
func connect(testEnv *envtest.Environment) (err error) {
	// Tests measure behaviour, not the client's own rate limit.
	server.config.QPS, server.config.Burst = -1, -1
	scheme, err := Scheme()
	if err != nil {
		return err
	}
	if server.client, err = client.New(server.config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	user, err := testEnv.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return fmt.Errorf("make a user for kubectl: %w", err)
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return fmt.Errorf("make a kubeconfig: %w", err)
	}
	dir, err := os.MkdirTemp("", "sparkgate-integration-")
	if err != nil {
		return err
	}
	server.kubeconfig = filepath.Join(dir, "kubeconfig")
	return os.WriteFile(server.kubeconfig, kubeconfig, 0o600)
}

// Scheme returns a scheme with Kubernetes' own kinds and ours.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, firstError(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
}

// Config returns an administrator's access to the server, without a rate limit. Each call returns a copy.
func Config() *rest.Config { return rest.CopyConfig(server.config) }

// Client returns an administrator's client that reads from the server, not from a cache. It is safe for concurrent use.
func Client() client.Client { return server.client }

// Root returns the folder of the repository.
func Root() string { return server.root }

// Cluster returns the server as a batch scheduler sees it: systems.Kueue(t, env.Cluster(), …).
func Cluster() systems.Cluster {
	return systems.Cluster{Config: Config(), Kubeconfig: server.kubeconfig, Root: server.root}
}

// Namespace creates a namespace with a new name for one test, in which drivers may run under every service account. It
// exists as long as the server.
func Namespace(t *testing.T) string {
	t.Helper()
	name := BareNamespace(t)
	LetDriversRun(t, name)
	return name
}

// BareNamespace creates a namespace with a new name for one test, in which no service account has rights.
func BareNamespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := server.client.Create(t.Context(), ns); err != nil {
		t.Fatalf("make a namespace: %v", err)
	}
	return ns.Name
}

func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
