// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	certutil "k8s.io/client-go/util/cert"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// browser keeps cookies, follows redirects and trusts one certificate.
type browser struct {
	t       *testing.T
	client  *http.Client
	address string
}

// newBrowser serves the page with a certificate of a folder, and trusts that alone.
func newBrowser(t *testing.T) browser {
	t.Helper()
	certificate, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder, trusted := t.TempDir(), x509.NewCertPool()
	for name, text := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted.AppendCertsFromPEM(certificate)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	way := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, DisableKeepAlives: true}
	return browser{t, &http.Client{Jar: jar, Transport: way}, serveWith(t, folder)}
}

// read returns where a request has led, and what is there.
func (b browser) read(response *http.Response, err error) (path, text string) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.Request.URL.RequestURI(), string(body)
}

func (b browser) opens(path string) (at, text string) {
	b.t.Helper()
	return b.read(b.client.Get(b.address + path))
}

// TestLoginForm: over TLS that is verified, the form with a token of a service account leads to the page that was asked for, with the
// rights of that account; the end of the session or of the token leads back to the form.
func TestLoginForm(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	if _, err := new(http.Client).Get(b.address + "/login"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that is not trusted: %v", err)
	}
	who := newViewer(t, b.address, rights{"", []string{"list", "watch"}, []string{"sparkqueues"}})
	form := func(at string) {
		t.Helper()
		query, _ := url.Parse(at)
		to := query.Query().Get("to")
		if at, text := b.read(b.client.PostForm(b.address+"/login", url.Values{"token": {who.token}, "to": {to}})); at != "/queues?q=x" || !strings.Contains(text, "system:serviceaccount:") {
			t.Fatalf("logged in, at %s:\n%s", at, text)
		}
	}
	at, text := b.opens("/queues?q=x")
	if at != "/login?to=%2Fqueues%3Fq%3Dx" || !strings.Contains(text, `type="password"`) {
		t.Fatalf("without a token, at %s:\n%s", at, text)
	}
	form(at)
	if at, text := b.opens("/applications"); at != "/applications" || !strings.Contains(text, "sparkapplications") || !strings.Contains(text, `role="alert"`) {
		t.Errorf("what the account may not list, at %s:\n%s", at, text)
	}
	if at, _ := b.read(b.client.Post(b.address+"/logout", "", nil)); at != "/login" {
		t.Errorf("logged out, at %s", at)
	}
	if at, _ = b.opens("/queues?q=x"); !strings.HasPrefix(at, "/login?to=") {
		t.Fatalf("after the logout, at %s", at)
	}
	form(at)
	b.revoke()
}

// revoke deletes the account that the page names, and waits until it is led to the form.
func (b browser) revoke() {
	b.t.Helper()
	_, text := b.opens("/queues")
	_, after, found := strings.Cut(text, "system:serviceaccount:")
	name, _, ends := strings.Cut(after, "<")
	namespace, account, is := strings.Cut(name, ":")
	if !found || !ends || !is {
		b.t.Fatalf("the page does not name its user:\n%s", text)
	}
	if err := env.Client().Delete(b.t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: account}}); err != nil {
		b.t.Fatal(err)
	}
	env.UntilSeen(b.t, "a token whose account is gone leads to the form", func() (bool, string) {
		at, text := b.opens("/queues")
		return strings.HasPrefix(at, "/login?") && strings.Contains(at, "expired=1") && strings.Contains(text, "no longer accepts the token"), at
	})
}
