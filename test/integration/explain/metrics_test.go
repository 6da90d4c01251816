// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// metrics serves the metrics as with --metrics-secure until the test ends, and returns their address.
func metrics(t *testing.T) string {
	t.Helper()
	transport, err := rest.HTTPClientFor(env.Config())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	server, err := metricsserver.NewServer(controllers.MetricsOptions(address, true, ""), env.Config(), transport)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the metrics endpoint has ended: %v", err)
		}
	})
	return address
}

// TestMetricsAreForThoseWhoMay: with --metrics-secure, metrics are served over TLS to the accounts that the shipped role is bound to.
func TestMetricsAreForThoseWhoMay(t *testing.T) {
	namespace := env.Namespace(t)
	if _, err := env.Kubectl(t, "apply", "-f", filepath.Join(env.Root(), "config/metrics-secure/reader_role.yaml")); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"": "", "garbage": "garbage", "stranger": account(t, namespace, "stranger"), "prometheus": account(t, namespace, "prometheus")}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-prometheus"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "sparkgate-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: "prometheus"}},
	}
	harness.Create(t, binding)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), binding) })
	address := metrics(t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // the certificate is the process's own
	defer client.CloseIdleConnections()
	ask := func(who string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if tokens[who] != "" {
			r.Header.Set("Authorization", "Bearer "+tokens[who])
		}
		response, err := client.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	env.Until(t, "the metrics are served", func() bool { // the server starts, and the authorizer learns of the binding
		code, body := ask("prometheus")
		return code == http.StatusOK && strings.Contains(body, "go_goroutines")
	})
	for who, want := range map[string]int{"": 401, "garbage": 401, "stranger": 403} {
		if code, body := ask(who); code != want || strings.Contains(body, "go_goroutines") {
			t.Errorf("%q got %d; want %d", who, code, want)
		}
	}
}
