// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dashboard opens the web page as browsers do, without its script: real viewers with real rights, a real API server, an
// operator at work.
package dashboard

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/internal/tools/dashboard"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package.
var operator harness.Shared

// system is the namespace of the operator.
const system = "sparkgate-system"

// serve runs the page as in a cluster, where each request brings the token of its viewer, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	return serveWith(t, "")
}

// serveWith is serve with the certificate of a folder.
func serveWith(t *testing.T, certificates string) string {
	t.Helper()
	trusted := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(trusted, env.Config().CAData, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- dashboard.ServeCluster(ctx, listener, dashboard.ClusterOptions{APIServer: env.Config().Host, CAFile: trusted, CertDir: certificates, Operator: system})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the page has not ended well: %v", err)
		}
	})
	return "https://" + listener.Addr().String()
}

// viewer is a person with a token.
type viewer struct {
	t              *testing.T
	address, token string
	// cookie is sent with each request.
	cookie string
}

// rights bind the account of a viewer to a role: a ClusterRole of the API server or of the operator's files.
type rights struct {
	namespace string // empty is all of them
	verbs     []string
	resources []string
}

// newViewer creates an account with rights and a token of it, in a namespace where accounts have none.
func newViewer(t *testing.T, address string, all ...rights) viewer {
	t.Helper()
	namespace := env.BareNamespace(t)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "viewer-"}}
	harness.Create(t, account)
	subject := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account.Name}}
	for _, r := range all {
		rules := []rbacv1.PolicyRule{{APIGroups: []string{"", "sparkgate.io"}, Resources: r.resources, Verbs: r.verbs}}
		meta := metav1.ObjectMeta{GenerateName: account.Name + "-", Namespace: r.namespace}
		if r.namespace == "" {
			role := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}
			harness.Create(t, role)
			harness.Create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subject, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}})
		} else {
			role := &rbacv1.Role{ObjectMeta: meta, Rules: rules}
			harness.Create(t, role)
			harness.Create(t, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subject, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name}})
		}
		knows(t, account, r)
	}
	request := &authenticationv1.TokenRequest{}
	if err := env.Client().SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return viewer{t: t, address: address, token: request.Status.Token}
}

// knows waits until the API server knows a right: it learns of bindings a little later.
func knows(t *testing.T, account *corev1.ServiceAccount, r rights) {
	t.Helper()
	group := "sparkgate.io"
	resource := r.resources[len(r.resources)-1]
	if !strings.HasPrefix(resource, "spark") && !strings.HasPrefix(resource, "scheduled") {
		group = ""
	}
	env.Until(t, "the API server knows a right", func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + account.Namespace + ":" + account.Name,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.verbs[0], Group: group, Resource: resource, Namespace: r.namespace},
		}}
		return env.Client().Create(t.Context(), review) == nil && review.Status.Allowed
	})
}

// everything is what a user of the cluster may look at.
var everything = rights{"", []string{"list", "watch", "get"}, []string{"pods", "pods/log", "events", "sparkqueues", "scheduledsparkapplications", "sparkapplications"}}

// do sends a request with the token in the header, as an authenticating proxy does.
func (v viewer) do(r *http.Request) *http.Response {
	v.t.Helper()
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	if v.cookie != "" {
		r.Header.Set("Cookie", v.cookie)
	}
	response, err := insecure().Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	return response
}

// insecure returns a client that takes any certificate, and follows nothing.
func insecure() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// page is what a viewer gets.
type page struct {
	status int
	text   string
	header http.Header
}

// opens loads a page.
func (v viewer) opens(path string) page {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.address+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	response := v.do(r)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return page{response.StatusCode, string(text), response.Header}
}

// sees waits until a page has all the words, and returns it.
func (v viewer) sees(path string, words ...string) page {
	v.t.Helper()
	var last page
	env.UntilSeen(v.t, path, func() (bool, env.Lazily) {
		last = v.opens(path)
		return last.status == http.StatusOK && missing(last.text, words) == "", func() string { return missing(last.text, words) + "\n" + last.text }
	})
	return last
}

// missing returns the first of some words that a text does not have; empty for none.
func missing(text string, words []string) string {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return "lacks " + word
		}
	}
	return ""
}

// refused loads a page that must say that the viewer has no right.
func (v viewer) refused(path string, words ...string) {
	v.t.Helper()
	p := v.opens(path)
	if lacks := missing(p.text, append(words, `role="alert"`, "<nav", "<h1>")); p.status != http.StatusForbidden || lacks != "" {
		v.t.Errorf("%s: %d, %s\n%s", path, p.status, lacks, p.text)
	}
}

// stream is an open page.
type stream struct {
	t      *testing.T
	events chan [2]string
}

// follows opens the stream of a page.
func (v viewer) follows(path string) *stream {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.address+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	response := v.do(r)
	v.t.Cleanup(func() { cancel(); response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		v.t.Fatalf("%s: %d, %s", path, response.StatusCode, kind)
	}
	s := &stream{v.t, make(chan [2]string, 1000)}
	go func() {
		defer close(s.events)
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		name := ""
		for lines.Scan() {
			if event, is := strings.CutPrefix(lines.Text(), "event: "); is {
				name = event
			}
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				s.events <- [2]string{name, data}
			}
		}
	}()
	return s
}

// until reads events until one of a name has all the words.
func (s *stream) until(name string, words ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), env.Patience)
	defer cancel()
	last := ""
	for {
		select {
		case <-ctx.Done():
			s.t.Fatalf("no event %s has %q; the last one is %s", name, words, last)
		case event, open := <-s.events:
			if !open {
				s.t.Fatalf("the stream has ended; the last event is %s", last)
			}
			last = event[1]
			var text string
			if name == "view" && json.Unmarshal([]byte(last), &text) == nil {
				last = text
			}
			if event[0] == name && missing(last, words) == "" {
				return last
			}
		}
	}
}
