// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// commonName is the name in the certificate that a server has now.
func commonName(t *testing.T, get getCertificate) string {
	t.Helper()
	pair, err := get(nil)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return certificate.Subject.CommonName
}

// add puts a certificate for a host into a folder.
func add(t *testing.T, folder, host string) {
	t.Helper()
	certificate, key, err := certutil.GenerateSelfSignedCertKey(host, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"tls.key": key, "tls.crt": certificate} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const host = "spark.example.org"

// TestACertificateMayComeLater: cert-manager creates the Secret after the pod, which then serves with it.
func TestACertificateMayComeLater(t *testing.T) {
	t.Parallel()
	folder, by := t.TempDir(), clocktesting.NewFakeClock(time.Unix(0, 0))
	get, err := certificateIn(t.Context(), folder, by)
	if err != nil {
		t.Fatal(err)
	}
	if name := commonName(t, get); strings.HasPrefix(name, host) {
		t.Fatalf("served before it was added: %s", name)
	}
	if err := os.WriteFile(filepath.Join(folder, "tls.crt"), []byte("no certificate"), 0o600); err != nil { // it is tried again
		t.Fatal(err)
	}
	look(t, by)
	add(t, folder, host)
	look(t, by)
	for deadline := time.Now().Add(time.Minute); !strings.HasPrefix(commonName(t, get), host); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("served is %s", commonName(t, get))
		}
	}
}

// look has the folder be looked into once more.
func look(t *testing.T, by *clocktesting.FakeClock) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !by.HasWaiters(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the folder is looked into no more")
		}
	}
	by.Step(lookInterval)
}

// TestACertificateFromTheStart is served at once, and one that cannot be read ends the process.
func TestACertificateFromTheStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	add(t, folder, host)
	get, err := certificateIn(t.Context(), folder, clock.RealClock{})
	if err != nil || !strings.HasPrefix(commonName(t, get), host) {
		t.Fatalf("%v", err)
	}
	if err := os.Remove(filepath.Join(folder, "tls.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := certificateIn(t.Context(), folder, clock.RealClock{}); err == nil {
		t.Error("a certificate without its key is taken")
	}
}
