// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
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
	eventually(t, "the new one is served", func() bool { return strings.HasPrefix(commonName(t, get), host) })
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, time.Minute, true, func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		t.Fatalf("waiting until %s: %v", what, err)
	}
}

// look has the folder be looked into once more.
func look(t *testing.T, by *clocktesting.FakeClock) {
	t.Helper()
	eventually(t, "the folder is about to be looked into", by.HasWaiters)
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
