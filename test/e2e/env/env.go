// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// Image is the real Spark of the local cluster.
	Image = "docker.io/sparkgate/spark:4.1"
	// Patience is how long a test waits for an expected event. It matters only if the event does not occur; the machine
	// may be busy.
	Patience = 6 * time.Minute

	// atOnce is the number of tests that may be in progress; most of them wait for their turn to run Spark (see
	// semaphore.go).
	atOnce = "12"
)

// cluster is the cluster of this test binary; set by Main before any test runs, only read after that.
var cluster struct {
	root   string
	config *rest.Config
	client client.WithWatch
}

// Main connects to the cluster, installs the operator, and runs the tests of the package. It returns the exit code: TestMain is
//
//	func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
func Main(m *testing.M) int {
	flag.Parse()
	if err := prepare(); err != nil {
		fmt.Fprintf(os.Stderr, "end-to-end tests need the local cluster: %v\nrun them with `make e2e`\n", err)
		return 1
	}
	return m.Run()
}

func prepare() (err error) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		return err
	}
	if cluster.root, err = findRoot(); err != nil {
		return err
	}
	if err := connect(); err != nil {
		return err
	}
	return deploy()
}

// findRoot returns the folder of the repository, relative to this source file.
func findRoot() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", errors.New("cannot tell where the repository is: run the tests without -trimpath")
	}
	return filepath.Join(filepath.Dir(file), "..", "..", ".."), nil
}

func connect() (err error) {
	path := os.Getenv("KUBECONFIG")
	if path == "" {
		return errors.New("KUBECONFIG is not set")
	}
	if cluster.config, err = clientcmd.BuildConfigFromFlags("", path); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	// Tests observe; the client's own rate limit would only distort what they see.
	cluster.config.QPS = -1
	scheme := kruntime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	cluster.client, err = client.NewWithWatch(cluster.config, client.Options{Scheme: scheme})
	return err
}

// Client returns an administrator's client that reads from the API server. It is safe for concurrent use.
func Client() client.WithWatch { return cluster.client }

// Root returns the folder of the repository.
func Root() string { return cluster.root }

// Config returns an administrator's access to the API server. Each call returns a copy.
func Config() *rest.Config { return rest.CopyConfig(cluster.config) }
