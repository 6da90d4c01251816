// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var pkiTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func testPKI(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pki")
	if err := createPKI(dir, pkiTime); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPKICertificatesVerify(t *testing.T) {
	t.Parallel()
	dir := testPKI(t)
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	for _, id := range identities {
		t.Run(id.file, func(t *testing.T) {
			t.Parallel()
			pair, err := tls.LoadX509KeyPair(filepath.Join(dir, id.file+".crt"), filepath.Join(dir, id.file+".key"))
			if err != nil {
				t.Fatal(err)
			}
			usage := x509.ExtKeyUsageClientAuth
			if len(id.hosts) > 0 {
				usage = x509.ExtKeyUsageServerAuth
			}
			for when, at := range map[string]time.Time{"at once": pkiTime, "after 9 years": pkiTime.AddDate(9, 0, 0)} {
				_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}})
				if err != nil {
					t.Errorf("does not verify %s: %v", when, err)
				}
			}
			for _, host := range id.hosts {
				if err := pair.Leaf.VerifyHostname(host); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(id.groups, pair.Leaf.Subject.Organization); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPKIIsKept(t *testing.T) {
	t.Parallel()
	dir := testPKI(t)
	before, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := createPKI(dir, pkiTime); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "ca.crt")); err != nil || string(after) != string(before) {
		t.Errorf("the authority was replaced (%v)", err)
	}
}

func TestPKIReplacesAnUnfinishedOne(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pki")
	writeTestFile(t, filepath.Join(dir+".tmp", "ca.key"), "cut off")
	if err := createPKI(dir, pkiTime); err != nil {
		t.Fatal(err)
	}
	if _, err := tls.LoadX509KeyPair(filepath.Join(dir, "ca.crt"), filepath.Join(dir, "ca.key")); err != nil {
		t.Error(err)
	}
}

func TestKubeconfigs(t *testing.T) {
	t.Parallel()
	dir := testPKI(t)
	c := cluster{name: "sparkgate", dir: filepath.Dir(dir)}
	if err := os.Mkdir(c.path("etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.writeKubeconfigs(dir); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(c.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct {
			Name string
			User map[string][]byte
		}
	}
	if err := json.Unmarshal(content, &config); err != nil {
		t.Fatal(err)
	}
	if got, want := config.Clusters[0].Cluster.Server, "https://10.77.0.1:6443"; got != want {
		t.Errorf("server = %s, want %s", got, want)
	}
	user := config.Users[0]
	if _, err := tls.X509KeyPair(user.User["client-certificate-data"], user.User["client-key-data"]); err != nil || user.Name != "admin" {
		t.Errorf("user %s: %v", user.Name, err)
	}
	for _, name := range kubeconfigUsers {
		if !exists(c.componentKubeconfig(name)) {
			t.Errorf("no kubeconfig for %s", name)
		}
	}
}
